"""Change records as entities: from the engine's feed, and from the events of a stream."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Generic, Literal, TypeAlias, TypeVar, cast, get_args, overload

from singletable.errors import InvalidValue, ItemMismatch
from singletable.operations import ChangeRecord as Record
from singletable.operations import ReadChanges, ReadChangesOutput
from singletable.operations.arn import parse_arn
from singletable.retry import Steps, send
from singletable.schema import Model, Table
from singletable.store.context import Context, context_of
from singletable.store.items import instance_of
from singletable.store.validation import check_amount, models_of
from singletable.values import Item

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
E = TypeVar("E")
E_co = TypeVar("E_co", covariant=True)


Kind: TypeAlias = Literal["INSERT", "MODIFY", "REMOVE"]


@dataclass(frozen=True, slots=True)
class Change(Generic[E_co]):
    """One item written or removed: what it was, and what it is."""

    kind: Kind
    old: E_co | None
    new: E_co | None
    when: datetime
    # Whether it was removed because its time was over.
    expired: bool
    position: str


@dataclass(frozen=True, slots=True)
class Changes(Generic[E_co]):
    """Changes in the order in which they were made; go on after `position`."""

    changes: list[Change[E_co]]
    position: int


def read_changes(
    context: Context, entities: Sequence[type[Any]], after: int | None, limit: int
) -> Steps[Changes[Any]]:
    """The changes to items of some entities after a position of the engine's feed."""
    check_amount("limit", limit or 0)
    models: dict[str, list[Model]] = {}
    for model in models_of(entities):
        models.setdefault(context.table_name(model.table), []).append(model)
    only = next(iter(models)) if len(models) == 1 else None
    read: ReadChangesOutput = yield from send(
        context.retry_policy, ReadChanges(after, table_name=only, limit=limit)
    )
    found = [
        change
        for record in read.changes
        for change in _of_record(record, models.get(record.table_name, []))
    ]
    return Changes(found, read.position)


@overload
def parse_stream_event(
    event: Mapping[str, Any], a: type[A], /, *, tables: Mapping[Table, str] | None = None
) -> list[Change[A]]: ...
@overload
def parse_stream_event(
    event: Mapping[str, Any],
    a: type[A],
    b: type[B],
    /,
    *,
    tables: Mapping[Table, str] | None = None,
) -> list[Change[A | B]]: ...
@overload
def parse_stream_event(
    event: Mapping[str, Any],
    a: type[A],
    b: type[B],
    c: type[C],
    /,
    *,
    tables: Mapping[Table, str] | None = None,
) -> list[Change[A | B | C]]: ...
@overload
def parse_stream_event(
    event: Mapping[str, Any],
    a: type[A],
    b: type[B],
    c: type[C],
    d: type[D],
    /,
    *,
    tables: Mapping[Table, str] | None = None,
) -> list[Change[A | B | C | D]]: ...
@overload
def parse_stream_event(
    event: Mapping[str, Any], /, *entities: type[Any], tables: Mapping[Table, str] | None = None
) -> list[Change[Any]]: ...
def parse_stream_event(
    event: Mapping[str, Any], /, *entities: type[Any], tables: Mapping[Table, str] | None = None
) -> list[Change[Any]]:
    """The changes in an event that AWS Lambda gets from a DynamoDB stream.

    The stream must carry new and old images. `tables` gives tables their real names, as a store is
    given them; then records of other tables are left out, as records of other entities always are.
    """
    models = models_of(entities)
    if not isinstance(event, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidValue(f"expected the event of a stream, with Records, but got {event!r}.")
    context = context_of(tables, None, None)
    return [
        change
        for record in event.get("Records", [])
        for change in _of_event(record, models, context)
    ]


def _of_record(record: Record, models: Sequence[Model]) -> Iterator[Change[Any]]:
    old, new = record.old, record.new
    model = _model(models, new or old or {})
    if model is not None:
        yield Change(
            record.kind,
            None if old is None else instance_of(model, old),
            None if new is None else instance_of(model, new),
            datetime.fromtimestamp(record.when, UTC),
            record.expired,
            str(record.position),
        )


def _of_event(
    record: Mapping[str, Any], models: Sequence[Model], context: Context
) -> Iterator[Change[Any]]:
    try:
        told = record["dynamodb"]
        kind = cast("Kind", record["eventName"])
        if kind not in get_args(Kind):
            raise ValueError
        when = datetime.fromtimestamp(float(told.get("ApproximateCreationDateTime", 0)), UTC)
    except (KeyError, TypeError, ValueError):
        raise ItemMismatch(
            "expected a record of a DynamoDB stream, with eventName and dynamodb, but got "
            f"{str(record)[:200]}."
        ) from None
    models = _in_table(record, models, context)
    if not models:
        return
    old, new = cast("tuple[Item | None, Item | None]", (told.get("OldImage"), told.get("NewImage")))
    if (old is None and kind != "INSERT") or (new is None and kind != "REMOVE"):
        raise ItemMismatch(
            f"the record of a {kind} lacks the {'old' if old is None else 'new'} image. Let the "
            "stream carry both: StreamViewType NEW_AND_OLD_IMAGES."
        )
    model = _model(models, new or old or {})
    if model is not None:
        by = cast("Mapping[str, Any]", record.get("userIdentity") or {})
        yield Change(
            kind,
            None if old is None else instance_of(model, old),
            None if new is None else instance_of(model, new),
            when,
            by.get("principalId") == "dynamodb.amazonaws.com",
            str(told.get("SequenceNumber", "")),
        )


def _in_table(record: Mapping[str, Any], models: Sequence[Model], context: Context) -> list[Model]:
    """Those of the entities that are in the table that a record comes from."""
    source = record.get("eventSourceARN")
    named = {model.table: context.table_name(model.table) for model in models}
    if source is None and len(named) == 1:
        return list(models)
    arn = parse_arn(str(source))
    table = arn and arn.table
    if arn is None or table is None or "/stream/" not in arn.resource:
        raise ItemMismatch(
            "expected a record whose eventSourceARN names a table, as in arn:aws:dynamodb:…:"
            f"table/name/stream/…, but got {source!r}."
        )
    # Under a name that nobody has given it may be one of these tables, or another.
    if not context.table_names and table not in named.values():
        first = next(iter(named))
        raise InvalidValue(
            f"the record comes from table {table!r}, and the entities are in "
            f"{', '.join(map(repr, named.values()))}. If that is its real name, say so, as to a "
            f"store: tables={{{first.name}: {table!r}}}. If it is another table, name your own: "
            f"tables={{{first.name}: {first.name!r}}}."
        )
    return [model for model in models if named[model.table] == table]


def _model(models: Sequence[Model], item: Item) -> Model | None:
    for model in models:
        if model.matches(item):
            return model
    return None
