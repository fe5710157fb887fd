"""A pattern called with values and asked of a store, whose observer tells what was sent."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, cast

from singletable.cli.arguments import read_arguments
from singletable.cli.existing import connect_existing
from singletable.cli.looking.reading import describe
from singletable.errors import InvalidValue, ResourceNotFound, SingleTableError
from singletable.infrastructure import resolve_table_names
from singletable.patterns import Pattern, ReadPattern
from singletable.patterns.checks import check_consistent
from singletable.schema import ItemKey, Model, Selection, UniqueValue, model_of
from singletable.store import Call, Store
from singletable.store.projected import projected_attributes

# Who wants more says so with a limit.
SHOWN = 20


@dataclass(frozen=True, slots=True)
class Asked:
    """A pattern and what it is called with: None for one that is not."""

    pattern: Pattern
    question: ItemKey[Any] | Selection[Any] | UniqueValue[Any] | None
    consistent: bool
    limit: int | None

    @classmethod
    def of(
        cls, pattern: Pattern, given: Sequence[str], *, consistent: bool, limit: int | None
    ) -> Asked:
        """The pattern called with values as they were typed."""
        consistent = consistent or pattern.expected.consistent
        if not isinstance(pattern, ReadPattern):
            if given:
                raise InvalidValue(
                    f"{pattern.code} ({pattern.description}) is called with no values, but got "
                    f"{', '.join(map(repr, given))}."
                )
            return cls(pattern, None, consistent, limit)
        question: Any = pattern(*read_arguments(pattern, given))
        if consistent and isinstance(pattern.sample, Selection):
            check_consistent(f"Pattern {pattern.code!r} ({pattern.description})", question.access)
        return cls(pattern, question, consistent, limit)


@dataclass(slots=True)
class Answer:
    """What was found, of which fields, and the calls that found it."""

    # By entity: the names of the fields that were read, and their values, item by item.
    found: dict[str, tuple[list[str], list[Sequence[object]]]] = field(
        default_factory=dict[str, tuple[list[str], list[Sequence[object]]]]
    )
    calls: list[Call] = field(default_factory=list[Call])
    more: bool = False
    error: SingleTableError | None = None

    @property
    def count(self) -> int:
        """How many items were found."""
        return sum(len(rows) for _, rows in self.found.values())


def ask(asked: Asked, address: str | None, names: Mapping[str, str]) -> Answer:
    """Ask at an address, or in memory of tables that are made for it; a refusal is an answer."""
    answer = Answer()
    with _store(asked.pattern, address, names, answer) as store:
        try:
            _fill(answer, store, asked)
        except SingleTableError as error:
            answer.error = error
        if isinstance(answer.error, ResourceNotFound):
            # DynamoDB does not say what it has not found; a table is likely, and then told by name.
            for name in resolve_table_names(asked.pattern.tables, names).values():
                describe(store.driver, name)
    return answer


@contextmanager
def _store(
    pattern: Pattern, address: str | None, names: Mapping[str, str], answer: Answer
) -> Generator[Store]:
    tables = resolve_table_names(pattern.tables, names)
    with connect_existing(address or "memory:") as driver:
        if address is None:
            for table in pattern.tables:
                Store(driver, tables=tables).admin.create_table(table)
        yield Store(driver, tables=tables, observers=[answer.calls.append])


def _fill(answer: Answer, store: Store, asked: Asked) -> None:
    pattern, question, most = asked.pattern, asked.question, asked.limit or SHOWN
    match question:
        case ItemKey():
            _add(answer, [store.get(question, consistent=asked.consistent)])
        case UniqueValue():
            _add(answer, [store.find(question)])
        case Selection() if isinstance(pattern, ReadPattern) and pattern.collection is not None:
            file = store.collect(pattern.collection, question, consistent=asked.consistent)
            for member in vars(file).values():
                _add(answer, cast("list[object]", member if isinstance(member, list) else [member]))
        case Selection():
            _query(answer, store, question, asked)
        case None:
            entity: type[object] = pattern.accesses[0].entity
            items: list[object] = list(islice(store.admin.scan(entity), most + 1))
            answer.more = len(items) > most
            _add(answer, items[:most])


def _query(answer: Answer, store: Store, selection: Selection[Any], asked: Asked) -> None:
    """The first items; of an index that does not hold them whole, the fields it has."""
    model, most = model_of(selection.entity), asked.limit or SHOWN
    names = _held(model, selection)
    if names is None:
        found = store.query(selection, limit=asked.limit, consistent=asked.consistent)
        items: list[Any] = list(islice(found, most + 1))
        _add(answer, items[:most])
    else:
        paths = [model.fields[name] for name in names]
        items = list(islice(store.select(selection, *paths, limit=asked.limit), most + 1))
        answer.found[model.name] = names, items[:most]
    answer.more = len(items) > most or asked.limit == len(items)


def _held(model: Model, selection: Selection[Any]) -> list[str] | None:
    """The fields that an index holds; None if it holds them all."""
    held = projected_attributes(model, selection.access.index)
    if held is None:
        return None
    keys = {*model.key.fields, *selection.access.fields}
    has = [
        name
        for name, one in model.fields.items()
        if one.attribute in held or (not one.stored and name in keys)
    ]
    return None if len(has) == len(model.fields) else has


def _add(answer: Answer, items: Sequence[object]) -> None:
    for item in items:
        if item is None:
            continue
        model = model_of(type(item))
        names = [*model.fields]
        _, rows = answer.found.setdefault(model.name, (names, []))
        rows.append([getattr(item, name, None) for name in names])
