"""Write the tests of a new entity, which call each of its access patterns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from singletable.schema.source import docstring, render_imports
from singletable_design.cli.new.entity_design import EntityDesign, article, words_of
from singletable_design.cli.new.entity_patterns import NewPattern
from singletable_design.cli.new.fields import NewField
from singletable_design.cli.new.source_edits import Group
from singletable_design.introspection.names import plural, snake_case

_STANDARD = {
    "datetime": ("UTC", "date", "datetime"),
    "decimal": ("Decimal",),
    "typing": ("Literal",),
    "uuid": ("UUID",),
}
_OURS = {"singletable": ("AlreadyExists", "Store"), "singletable.testing": ("StoreFactory",)}

_STORE = '''
@pytest.fixture
def store(make_store: StoreFactory) -> Store:
    """Return a store in memory with an empty table."""
    return make_store({table})
'''


def render_tests(
    design: EntityDesign,
    patterns: Sequence[NewPattern],
    table: str,
    names: Mapping[str, Iterable[str]],
    width: int,
) -> str:
    """Return a test module; `names` are those it may import from the app, by module."""
    writer = _TestWriter(design, patterns, width)
    code = "\n".join([_STORE.format(table=table), *writer.render()])
    imports = [
        render_imports(code, [_STANDARD]),
        f"import pytest\n{render_imports(code, [_OURS])}",
        render_imports(code, [names]),
    ]
    words = plural(words_of(design.name)).capitalize()
    title = docstring(f"{words}: how they are created, found, changed and deleted.")
    head = [title, "from __future__ import annotations", *map(str.strip, imports)]
    return "\n\n".join(filter(None, head)) + f"\n\n{code}"


class _TestWriter:
    def __init__(self, design: EntityDesign, patterns: Sequence[NewPattern], width: int) -> None:
        self._design = design
        self._width = width
        self._snake = snake_case(design.name)
        self._many = plural(self._snake)
        # The variables of patterns by what they access, such as `key.partition`.
        self._patterns = {
            one.access.removeprefix(f"{design.name}."): one.variable for one in patterns
        }
        index_fields = (*design.across, *design.order)
        varied = dict.fromkeys(one for one in index_fields if not one.is_set_by_store)
        # What tests vary: the parameters of the function that makes an item.
        self._parameters = list(dict.fromkeys((*design.identity, *varied)))

    def render(self) -> list[str]:
        """Return the function that makes an item, and the tests."""
        blocks = [self._maker(), self._created_once()]
        if "key.partition" in self._patterns:
            blocks.append(self._listed())
        if self._design.index_key is not None:
            blocks.append(self._queried(self._design.index_key.name))
        simple = [one for one in self._design.changeable_fields if one.type.key is not None]
        if simple:
            blocks.append(self._changed(simple[0]))
        return [*blocks, self._deleted()]

    def _maker(self) -> str:
        parameters = [f"{one.name}: {one.type.text} = {one.sample(1)}" for one in self._parameters]
        values = [f"{one.name}={one.name}" for one in self._parameters]
        values += [
            f"{one.name}={one.sample(1)}"
            for one in self._design.fields
            if one not in self._parameters and not one.optional and not one.is_set_by_store
        ]
        begin, end = f"def make_{self._snake}(", f") -> {self._design.name}:"
        words = words_of(self._design.name)
        return self._function(
            Group(begin, [*parameters], end),
            docstring(f"Return {article(words)} {words} with sample values."),
            Group(f"return {self._design.name}(", [*values], ")"),
        )

    def _created_once(self) -> str:
        return self._test(
            f"{self._snake}_is_created_once",
            f"created = store.create(make_{self._snake}())",
            self._key(),
            "assert store.get(key) == created",
            "with pytest.raises(AlreadyExists):",
            f"    store.create(make_{self._snake}())",
        )

    def _listed(self) -> str:
        *owner, id_ = self._design.identity
        other = [f"{one.name}={one.sample(2)}" for one in owner]
        return self._test(
            f"{self._many}_of_one_owner_are_listed",
            *(self._create(f"{id_.name}={id_.sample(number)}") for number in (2, 1)),
            self._create(*other),
            self._find("key.partition", [one.sample(1) for one in owner]),
            self._expect(id_, 1, 2),
        )

    def _queried(self, key: str) -> str:
        """Render a test with items in the wrong order, and one that is not found."""
        design = self._design
        last = design.identity[-1]
        order = [one for one in design.order if not one.is_set_by_store]
        lines = [
            self._create(
                *(f"{one.name}={one.sample(number)}" for one in (*design.identity, *order))
            )
            for number in (2, 1)
        ]
        other = [f"{one.name}={one.sample(2)}" for one in design.across]
        if other:
            lines.append(self._create(f"{last.name}={last.sample(3)}", *other))
        found = self._find(key, [one.sample(1) for one in design.across])
        # False sorts before True.
        numbers = (2, 1) if order and order[0].type.text == "bool" else (1, 2)
        by = key if other else "are_listed"
        return self._test(f"{self._many}_{by}", *lines, found, self._expect(last, *numbers))

    def _changed(self, field: NewField) -> str:
        edit = f"{self._design.name}.{field.name}.set({field.sample(2)})"
        return self._test(
            f"{self._snake}_is_changed",
            f"store.create(make_{self._snake}())",
            self._key(),
            Group("changed = store.update(", ["key", edit], ")"),
            f"assert changed.{field.name} == {field.sample(2)}",
        )

    def _deleted(self) -> str:
        return self._test(
            f"{self._snake}_is_deleted",
            f"store.create(make_{self._snake}())",
            self._key(),
            "store.delete(key)",
            "assert store.get(key) is None",
        )

    def _key(self) -> Group:
        values = [one.sample(1) for one in self._design.identity]
        return Group(f"key = {self._patterns['key']}(", [*values], ")")

    def _call(self, access: str, values: Sequence[str]) -> Group:
        return Group(f"{self._patterns[access]}(", [*values], ")")

    def _create(self, *values: str) -> Group:
        return Group("store.create(", [Group(f"make_{self._snake}(", [*values], ")")], ")")

    def _find(self, access: str, values: Sequence[str]) -> Group:
        key = self._design.index_key
        is_partial = (
            key is not None
            and key.index is not None
            and key.name == access
            and key.index.projection != "ALL"
        )
        method = "hydrate" if is_partial else "query"
        return Group(f"found = store.{method}(", [self._call(access, values)], ")")

    def _expect(self, field: NewField, *numbers: int) -> Group:
        members = [field.sample(number) for number in numbers]
        return Group(f"assert [one.{field.name} for one in found] == [", [*members], "]")

    def _test(self, name: str, *lines: Group | str) -> str:
        return self._function(f"def test_{name}(store: Store) -> None:", *lines)

    def _function(self, signature: Group | str, *lines: Group | str) -> str:
        texts = [
            one if isinstance(one, str) else one.render(indent, self._width)
            for indent, one in [(0, signature), *((4, line) for line in lines)]
        ]
        return "\n" + "\n    ".join(texts) + "\n"
