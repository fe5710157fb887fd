"""Parse the arguments of an access pattern and run it, recording the requests it sends."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from enum import Enum
from itertools import islice
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NewType, Union, cast, get_args, get_origin
from uuid import UUID

from singletable.cli.existing_tables import connect_existing, describe_existing
from singletable.cli.output import pluralize
from singletable.errors import InvalidValue, ResourceNotFound, SingleTableError
from singletable.patterns import Pattern, ReadPattern
from singletable.patterns.pattern import Parameter
from singletable.schema import ItemKey, Model, Selection, UniqueValue, model_of
from singletable.store import Call, Store
from singletable.store.decoder import projected_attributes
from singletable.tables import resolve_table_names

# The number of items to show without --limit.
DEFAULT_LIMIT = 20


def _parse_datetime(text: str) -> datetime:
    timestamp = datetime.fromisoformat(text)
    if timestamp.tzinfo is None:
        raise ValueError("no time zone")
    return timestamp


def _parse_timedelta(text: str) -> timedelta:
    return timedelta(microseconds=round(Decimal(text) * 1_000_000))


def _parse_bool(text: str) -> bool:
    return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}[
        text.lower()
    ]


# What an argument of each type should look like, and how it is parsed.
_PARSERS: dict[object, tuple[str, Callable[[str], object]]] = {
    str: ("a string", str),
    int: ("an integer", int),
    float: ("a number", float),
    Decimal: ("a number", Decimal),
    datetime: ("a timestamp with time zone, such as 2026-01-31T12:00:00Z", _parse_datetime),
    date: ("a date, such as 2026-01-31", date.fromisoformat),
    time: ("a time, such as 12:00:00Z", time.fromisoformat),
    timedelta: ("a number of seconds, such as 90 or 0.5", _parse_timedelta),
    bool: ("true or false", _parse_bool),
    UUID: ("a UUID", UUID),
    bytes: ("a string, which is encoded as bytes", str.encode),
}


def parse_arguments(pattern: ReadPattern[Any, Any], texts: Sequence[str]) -> list[object]:
    """Parse the arguments of a pattern by the types of its parameters."""
    parameters = pattern.parameters
    if len(texts) != len(parameters):
        expected = ", ".join(f"{p.name}: {_describe_type(p.type)}" for p in parameters)
        got = f"{len(texts)}: {', '.join(map(repr, texts))}" if texts else "none"
        raise InvalidValue(
            f"{pattern.code} ({pattern.description}) expects "
            f"{pluralize(len(parameters), 'argument')} ({expected or 'none'}), but got {got}."
        )
    return [parse_argument(p, text) for p, text in zip(parameters, texts, strict=True)]


def parse_argument(parameter: Parameter, text: str) -> object:
    """Parse one argument by the type of its parameter."""
    try:
        return _parse_value(parameter.type, text)
    except (ValueError, KeyError, InvalidOperation, OverflowError):
        expected = _describe_type(parameter.type)
        raise InvalidValue(f"{parameter.name}: expected {expected}, but got {text!r}.") from None


def _parse_value(type_: Any, text: str) -> object:
    type_, optional = _unwrap_type(type_)
    if optional and text == "None":
        return None
    if type_ in _PARSERS:
        return _PARSERS[type_][1](text)
    for choice in _choices(type_):
        if text in (str(choice), *_choice_texts(choice)):
            return choice
    raise ValueError(text)


def _describe_type(type_: Any) -> str:
    type_, optional = _unwrap_type(type_)
    if type_ in _PARSERS:
        description = _PARSERS[type_][0]
    elif choices := _choices(type_):
        description = f"one of {', '.join(_choice_texts(choice)[0] for choice in choices)}"
    else:
        description = f"a {getattr(type_, '__name__', type_)}, which cannot be an argument"
    return f"{description}, or None" if optional else description


def _unwrap_type(type_: Any) -> tuple[Any, bool]:
    """Return the type without wrappers, and whether it is optional."""
    if isinstance(type_, NewType):
        return _unwrap_type(type_.__supertype__)
    origin, inner = get_origin(type_), get_args(type_)
    if origin is Annotated:
        return _unwrap_type(inner[0])
    if origin in (Union, UnionType) and NoneType in inner:
        rest = [member for member in inner if member is not NoneType]
        return (_unwrap_type(rest[0])[0] if len(rest) == 1 else type_), True
    return type_, False


def _choices(type_: Any) -> Sequence[object]:
    if get_origin(type_) is Literal:
        return get_args(type_)
    return list(type_) if isinstance(type_, type) and issubclass(type_, Enum) else ()


def _choice_texts(choice: object) -> tuple[str, ...]:
    """Return how a choice may be written; an enum member by name or by value."""
    return (choice.name, str(choice.value)) if isinstance(choice, Enum) else (str(choice),)


@dataclass(frozen=True, slots=True)
class PatternCall:
    """A pattern and its call's result; a pattern without arguments has no target."""

    pattern: Pattern
    target: ItemKey[Any] | Selection[Any] | UniqueValue[Any] | None
    limit: int | None

    @classmethod
    def parse(cls, pattern: Pattern, texts: Sequence[str], *, limit: int | None) -> PatternCall:
        """Call the pattern with arguments from the command line."""
        if not isinstance(pattern, ReadPattern):
            if texts:
                raise InvalidValue(
                    f"{pattern.code} ({pattern.description}) takes no arguments, but got "
                    f"{', '.join(map(repr, texts))}."
                )
            return cls(pattern, None, limit)
        target: Any = pattern(*parse_arguments(pattern, texts))
        return cls(pattern, target, limit)

    @property
    def consistent(self) -> bool:
        """Whether the pattern is declared with consistent reads."""
        return self.pattern.expected.consistent


@dataclass(slots=True)
class PatternResult:
    """The items of a pattern, and the calls that read them."""

    # By entity: the names of the fields that were read, and their values for each item.
    items: dict[str, tuple[list[str], list[Sequence[object]]]] = field(
        default_factory=dict[str, tuple[list[str], list[Sequence[object]]]]
    )
    calls: list[Call] = field(default_factory=list[Call])
    has_more: bool = False
    error: SingleTableError | None = None

    @property
    def count(self) -> int:
        """The number of items."""
        return sum(len(rows) for _, rows in self.items.values())

    def add(self, items: Sequence[object]) -> None:
        """Add items of any entities; None is skipped."""
        for item in items:
            if item is None:
                continue
            model = model_of(type(item))
            names = [*model.fields]
            _, rows = self.items.setdefault(model.name, (names, []))
            rows.append(mask_encrypted(model, names, [getattr(item, name, None) for name in names]))


def mask_encrypted(
    model: Model, names: Sequence[str], values: Sequence[object]
) -> Sequence[object]:
    """Return the values of these fields to print, without those of encrypted fields."""
    return [
        "<encrypted>"
        if value is not None and model.fields[name].attribute in model.encrypted
        else value
        for name, value in zip(names, values, strict=True)
    ]


def run_pattern(
    call: PatternCall, address: str | None, table_names: Mapping[str, str]
) -> PatternResult:
    """Run a pattern at an address, or on empty tables in memory; an error is part of the result."""
    result = PatternResult()
    names = resolve_table_names(call.pattern.tables, table_names)
    with _open_store(call.pattern, address, table_names, result) as store:
        try:
            _read(result, store, call)
        except SingleTableError as error:
            result.error = error
        if isinstance(result.error, ResourceNotFound):
            # DynamoDB does not name what is missing; if it is a table, this raises with its name.
            for name in names.values():
                describe_existing(store.driver, name)
    return result


@contextmanager
def _open_store(
    pattern: Pattern, address: str | None, table_names: Mapping[str, str], result: PatternResult
) -> Generator[Store]:
    tables = resolve_table_names(pattern.tables, table_names)
    with connect_existing(address or "memory:") as driver:
        if address is None:
            for table in pattern.tables:
                Store(driver, tables=tables).admin.create_table(table)
        yield Store(driver, tables=tables, observers=[result.calls.append])


def _read(result: PatternResult, store: Store, call: PatternCall) -> None:
    pattern, target, limit = call.pattern, call.target, call.limit or DEFAULT_LIMIT
    match target:
        case ItemKey():
            result.add([store.get(target, consistent=call.consistent)])
        case UniqueValue():
            result.add([store.find(target)])
        case Selection() if isinstance(pattern, ReadPattern) and pattern.collection is not None:
            collected = store.collect(pattern.collection, target, consistent=call.consistent)
            for member in vars(collected).values():
                result.add(cast("list[object]", member if isinstance(member, list) else [member]))
        case Selection():
            _query(result, store, target, call)
        case None:
            entity: type[object] = pattern.accesses[0].entity
            items: list[object] = list(islice(store.admin.scan(entity), limit + 1))
            result.has_more = len(items) > limit
            result.add(items[:limit])


def _query(
    result: PatternResult, store: Store, selection: Selection[Any], call: PatternCall
) -> None:
    """Read the first items as the pattern does, or the fields that an index has."""
    model, limit = model_of(selection.entity), call.limit or DEFAULT_LIMIT
    names = _projected_fields(model, selection)
    items: list[Any]
    if call.pattern.expected.hydrate:
        items = list(islice(store.hydrate(selection, limit=call.limit), limit + 1))
        result.add(items[:limit])
    elif names is None:
        query = store.query(selection, limit=call.limit, consistent=call.consistent)
        items = list(islice(query, limit + 1))
        result.add(items[:limit])
    else:
        paths = [model.fields[name] for name in names]
        items = list(islice(store.select(selection, *paths, limit=call.limit), limit + 1))
        rows = [mask_encrypted(model, names, row) for row in items[:limit]]
        result.items[model.name] = names, rows
    result.has_more = len(items) > limit or call.limit == len(items)


def _projected_fields(model: Model, selection: Selection[Any]) -> list[str] | None:
    """Return the fields that an index has, or None if it has all of them."""
    projected = projected_attributes(model, selection.access.index)
    if projected is None:
        return None
    keys = {*model.key.fields, *selection.access.fields}
    names = [
        name
        for name, attr in model.fields.items()
        if attr.attribute in projected or (not attr.stored and name in keys)
    ]
    return None if len(names) == len(model.fields) else names
