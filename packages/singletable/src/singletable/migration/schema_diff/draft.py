"""Draft a migration file from the changes of a schema: steps, old declarations and functions.

The draft is complete Python. Where only you can decide, it calls `undecided(…)`, and cannot be
loaded before you have replaced the call.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from types import ModuleType

from singletable.errors import MigrationError
from singletable.migration.schema_diff.change_kinds import EntityPair, PlannedStep, SchemaChange
from singletable.migration.schema_diff.field_changes import renamed_fields
from singletable.migration.schema_diff.old_declaration import (
    OUR_NAMES,
    STANDARD_NAMES,
    VERSION_FIELD,
    OldTypes,
    old_name,
    render_old_entity,
    render_old_table,
    table_variable,
)
from singletable.migration.schema_diff.schema_changes import renamed_entities, renamed_tables
from singletable.migration.schema_diff.snapshot import EntitySchema, FieldSchema, Schema, snapshot
from singletable.migration.schema_diff.type_text import TypeTexts
from singletable.schema import Table, model_of
from singletable.schema.source import format_call, quoted, render_imports

# The order of steps: what later steps need comes first, and a copy is last.
_ORDER = (
    "CreateTable", "AddIndex", "Backfill", "Rewrite", "AddUnique", "AddCount", "DropIndex", "Copy",
)  # fmt: skip
_STEP_NAMES = (*_ORDER, "Migration", "each", "undecided", "unchanged")


def draft_migration(
    name: str,
    module: ModuleType,
    tables: Sequence[Table],
    before: Schema,
    changes: Sequence[SchemaChange],
) -> str:
    """Return the source of a migration file that makes the changes.

    Raises MigrationError if the declaration must be edited first.
    """
    if blocked := [change for change in changes if change.needs_edit]:
        lines = "".join(f"\n- {change.subject}: {change.advice}" for change in blocked)
        raise MigrationError(
            "No migration can make these changes as they are declared. Edit the declaration:"
            f"{lines}"
        )
    return _Draft(name, module, tables, before, changes).render()


class _Draft:
    def __init__(
        self,
        name: str,
        module: ModuleType,
        tables: Sequence[Table],
        before: Schema,
        changes: Sequence[SchemaChange],
    ) -> None:
        self._texts = TypeTexts()
        self._name = name
        self._module = module
        self._tables = {table.name: table for table in tables}
        self._before = before
        self._after = snapshot(tables, self._texts)
        self._changes = changes
        self._types = OldTypes(before, self._after, self._texts)
        self._entities = {one.__name__: one for table in tables for one in table.entities}
        self._imports: dict[str, set[str]] = {}
        self._functions: list[str] = []
        self._old_tables: dict[str, str] = {}
        self._old_entities: dict[str, str] = {}

    def render(self) -> str:
        """Return the source of the file."""
        steps = [self._step(step) for step in _ordered(self._changes)]
        arguments = [*steps, f"schema={quoted(self._after.digest)}"]
        migration = format_call("migration = Migration(", arguments)
        old = [*self._types.sources.values(), *self._old_tables.values()]
        blocks = [*old, *self._old_entities.values(), *self._functions, f"{migration}\n"]
        code = _join(blocks)
        for imported, names in self._types.imports.items():
            self._imports.setdefault(imported, set()).update(names)
        groups = [
            STANDARD_NAMES,
            {"singletable": OUR_NAMES, "singletable.migration": _STEP_NAMES},
            self._imports,
        ]
        imports = render_imports(code, groups)
        gap = "\n\n" if code.startswith(("class", "@", "def")) else "\n"
        return f"{self._docstring()}\n\nfrom __future__ import annotations\n\n{imports}{gap}{code}"

    def _docstring(self) -> str:
        title = self._name[5:].replace("_", " ")
        lines = [_safe(f"- {change.subject}: {change.kind.value}") for change in self._changes]
        if not lines:
            return f'"""{title.capitalize()}."""'
        return f'"""{title.capitalize()}.\n\n' + "\n".join(lines) + '\n"""'

    # Steps

    def _step(self, step: PlannedStep) -> str:
        if step.name == "Copy":
            return self._copy(step.subject)
        if step.name == "Rewrite":
            return self._rewrite(step.subject)
        if step.name in ("CreateTable", "AddIndex", "DropIndex"):
            subject = self._table(step.subject)
        else:
            subject = self._entity(step.subject)
        member = f", {quoted(step.member)}" if step.member else ""
        return f"{step.name}({subject}{member})"

    def _rewrite(self, entity: str) -> str:
        table = model_of(self._entities[entity]).table.name
        each, back = self._rules(entity, table, table)
        return format_call("Rewrite(", [each, f"back=[{back}]"], indent=4).lstrip()

    def _copy(self, new: str) -> str:
        old = renamed_tables(self._before, self._after).get(new, new)
        was, is_ = self._before.tables[old], self._after.tables[new]
        renamed = renamed_entities(was, is_)
        pairs = {
            name: (known, entity)
            for name, entity in is_.entities.items()
            if (known := was.entities.get(renamed.get(name, name))) is not None
        }
        changed = [name for name, (known, entity) in pairs.items() if known != entity]
        # Markers of unique values are derived from their owners, and not copied on their own.
        as_they_are = (was.pk, was.sk) == (is_.pk, is_.sk) and not any(
            pairs[name][0].uniques for name in changed
        )
        rules: list[str] = []
        back: list[str] = []
        for name in changed if as_they_are else pairs:
            each, reverse = self._rules(name, old, new)
            rules.append(each)
            back.append(reverse)
        if as_they_are:
            self._old_tables.setdefault(old, render_old_table(old, was))
            rules.append(f"unchanged({table_variable(old)})")
            back.append(f"unchanged({self._table(new)})")
        joined = format_call("back=[", back, "]", indent=8).lstrip()
        return format_call("Copy(", [self._table(new), *rules, joined], indent=4).lstrip()

    def _rules(self, entity: str, old_table: str, new_table: str) -> tuple[str, str]:
        """Add the old class of an entity and the functions from old to new and back."""
        was, is_ = self._before.tables[old_table], self._after.tables[new_table]
        before_name = renamed_entities(was, is_).get(entity, entity)
        before, after = was.entities[before_name], is_.entities[entity]
        self._old_tables.setdefault(old_table, render_old_table(old_table, was))
        self._old_entities[before_name] = render_old_entity(
            before_name, before, old_table, was, self._types
        )
        pair = EntityPair(
            new_table, entity, before, after, self._before.classes, self._after.classes
        )
        names = renamed_fields(pair)
        new, old = self._entity(entity), old_name(before_name)
        forward, backward = f"to_{_snake(entity)}", f"to_old_{_snake(before_name)}"
        self._function(forward, old, before, new, after, names)
        reverse = {was: is_ for is_, was in names.items()}
        self._function(backward, new, after, old, before, reverse)
        return f"each({old}, {forward})", f"each({new}, {backward})"

    # Functions

    def _function(
        self,
        name: str,
        source: str,
        before: EntitySchema,
        target: str,
        after: EntitySchema,
        names: dict[str, str],
    ) -> None:
        is_new = not target.startswith(old_name(""))
        passed: list[str] = []
        assigned: list[str] = []
        constants: list[str] = []
        for field_name, field in after.fields.items():
            known = names.get(field_name, field_name)
            value = self._value(field, known, before.fields.get(known), is_new=is_new)
            if known not in before.fields and not field.required:
                continue  # it has a default
            if value is None:
                value = f"{name}_{field_name}"
                problem = self._question(name, f"{target}.{field_name}", field, known, before)
                constants.append(format_call(f"{value} = undecided(", [quoted(problem)]))
            # The store sets these, so a constructor does not take them.
            if is_new and field.role in ("version", "created", "updated", "sequence"):
                assigned.append(f"    item.{field_name} = {value}")
            else:
                passed.append(f"{field_name}={value}")
        if not is_new and after.schema_version is not None:
            passed.append(f"{VERSION_FIELD}={after.schema_version}")
        lines = [*constants, *(["", ""] if constants else [])]
        lines.append(f"def {name}({'old' if is_new else 'new'}: {source}) -> {target}:")
        created = format_call(f"{'item =' if assigned else 'return'} {target}(", passed, indent=4)
        lines += [created, *assigned, *(["    return item"] if assigned else [])]
        self._functions.append("\n".join(lines) + "\n")

    def _question(
        self, function: str, target: str, field: FieldSchema, name: str, before: EntitySchema
    ) -> str:
        """Return what the reader has to decide: how to compute a value, and where."""
        is_new = not function.startswith("to_old_")
        source = before.fields.get(name)
        origin = "for items without a value"
        if source is not None:
            type_ = self._types.text(source.type) if is_new else source.type
            kind = f"{type_} | None" if source.optional else type_
            origin = f"from {'old' if is_new else 'new'}.{name} ({kind})"
        type_ = field.type if is_new else self._types.text(field.type)
        wanted = f"{type_} | None" if field.optional else type_
        return f"compute {target} ({wanted}) {origin} in {function}"

    def _value(
        self, field: FieldSchema, name: str, source: FieldSchema | None, *, is_new: bool
    ) -> str | None:
        """Return the expression of a field, or None without a value of the same type."""
        if source is None or (source.optional and not field.optional):
            return None
        value = f"{'old' if is_new else 'new'}.{name}"
        old, new = (source, field) if is_new else (field, source)
        if old.type == new.type and self._types.is_unchanged(old.type):
            return value
        now = self._after.classes.get(new.type)
        if self._types.enum_of(old.type) is None or now is None or now.kind != "enum":
            return None
        kind = self._new_class(new.type) if is_new else self._types.name_of(old.type)
        converted = f"{kind}({value}.value)"
        return f"None if {value} is None else {converted}" if source.optional else converted

    # Names

    def _new_class(self, name: str) -> str:
        """Return the name of a class in the type of a new field, and import it."""
        kind = self._texts.objects[name]
        self._imports.setdefault(kind.__module__, set()).add(kind.__qualname__.split(".")[0])
        return str(kind.__qualname__)

    def _entity(self, name: str) -> str:
        return self._variable(self._entities[name], f"entity {name}")

    def _table(self, name: str) -> str:
        return self._variable(self._tables[name], f"table {name!r}")

    def _variable(self, value: object, subject: str) -> str:
        """Return the name of a module's variable, and import it."""
        package = self._module.__name__.partition(".")[0]
        modules = [self._module, *(sys.modules[one.__module__] for one in self._entities.values())]
        modules += [one for name, one in sys.modules.items() if name.startswith(f"{package}.")]
        places = [
            (module, name)
            for module in modules
            for name, known in vars(module).items()
            if known is value and name.isidentifier()
        ]
        # Type checkers reject a name that a module imports for its own use.
        for module, name in sorted(places, key=lambda place: not _defines(*place)):
            self._imports.setdefault(module.__name__, set()).add(name)
            return name
        raise MigrationError(
            f"The {subject} has no variable in {self._module.__name__} that a migration could "
            "import. Assign it to one."
        )


def _defines(module: ModuleType, name: str) -> bool:
    """Return whether the source of a module assigns or defines a name at its top level."""
    source = Path(module.__file__ or "")
    text = source.read_text(encoding="utf-8") if source.suffix == ".py" else ""
    return re.search(rf"^(class {name}\b|{name}\s*[:=])", text, re.MULTILINE) is not None


def _ordered(changes: Iterable[SchemaChange]) -> list[PlannedStep]:
    """Return the steps of all changes, each once, in the order in which they are run."""
    steps = list(dict.fromkeys(step for change in changes for step in change.steps))
    copied = {step.subject for step in steps if step.name == "Copy"}
    if len(copied) > 1:
        raise MigrationError(
            f"The tables {', '.join(sorted(copied))} must be copied, but a migration copies one. "
            "Change the declaration of one table at a time."
        )
    rewritten = {step.subject for step in steps if step.name == "Rewrite"}
    tables = {step.subject for step in steps if step.name == "CreateTable"} & copied
    kept = [
        step
        for step in steps
        # A new table has all its indexes, and rewritten items all their keys.
        if not (step.name in ("AddIndex", "DropIndex") and step.subject in tables)
        and not (step.name == "Backfill" and step.subject in rewritten)
    ]
    return sorted(kept, key=lambda step: _ORDER.index(step.name))


def _join(blocks: Sequence[str]) -> str:
    """Join blocks with the blank lines that formatters put between them."""
    text = blocks[0]
    for previous, block in pairwise(blocks):
        defined = ("class", "def", "@")
        wide = previous.startswith(defined) or block.startswith(defined) or "\ndef " in previous
        text += f"{chr(10) * (2 if wide else 1)}{block}"
    return text


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _safe(text: str) -> str:
    return text.replace("\\", "/").replace('"""', "'''")
