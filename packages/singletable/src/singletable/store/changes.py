"""Changes of entities, decoded from the engine's change feed or from DynamoDB Streams events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Generic, Literal, TypeAlias, TypeVar, cast, get_args, overload

from singletable.errors import InvalidValue, ItemMismatch
from singletable.operations import ChangeRecord, ReadChanges, ReadChangesOutput, Record
from singletable.operations.arn import parse_arn
from singletable.retry import send
from singletable.schema import Model, Table
from singletable.steps import Steps
from singletable.store.context import Context, create_context
from singletable.store.decoder import decode_item
from singletable.store.validation import check_count, models_of
from singletable.values import Item

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
E_co = TypeVar("E_co", covariant=True)

DYNAMODB = "dynamodb.amazonaws.com"
ChangeKind: TypeAlias = Literal["INSERT", "MODIFY", "REMOVE"]


@dataclass(frozen=True, slots=True)
class Change(Generic[E_co]):
    """One item that was written or removed, before and after."""

    kind: ChangeKind
    old: E_co | None
    new: E_co | None
    when: datetime
    # Whether it was removed because it had expired.
    expired: bool
    position: str


@dataclass(frozen=True, slots=True)
class Changes(Generic[E_co]):
    """Changes in the order in which they happened; read on after `position`."""

    changes: list[Change[E_co]]
    position: int


def read_changes(
    context: Context, entities: Sequence[type[Any]], after: int | None, limit: int
) -> Steps[Changes[Any]]:
    """Return the changes of some entities after a position of the engine's change feed."""
    check_count("limit", limit)
    models: dict[str, list[Model]] = {}
    for model in models_of(entities):
        models.setdefault(context.table_name(model.table), []).append(model)
    table = next(iter(models)) if len(models) == 1 else None
    output: ReadChangesOutput = yield from send(
        context.retry_policy, ReadChanges(after, table_name=table, limit=limit)
    )
    changes = [
        change
        for record in output.changes
        for change in _from_record(record, models.get(record.table_name, []))
    ]
    return Changes(changes, output.position)


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
    """Return the changes in an event that AWS Lambda receives from DynamoDB Streams.

    The stream must contain new and old images. `tables` maps tables to their real names, as for a
    store; with it, records of other tables are skipped. Records of other entities always are.
    """
    models = models_of(entities)
    if not isinstance(event, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidValue(f"expected a DynamoDB Streams event with Records, but got {event!r}.")
    context = create_context(tables)
    return [
        change
        for record in event.get("Records", [])
        for change in _from_event(record, models, context)
    ]


def from_stream(record: Record, models: Sequence[Model]) -> Iterator[Change[Any]]:
    """Yield the change in a record of a stream if its item is one of these entities."""
    data, identity = record.dynamodb, record.user_identity
    expired = identity is not None and identity.principal_id == DYNAMODB
    old, new = data.old_image, data.new_image
    _check_images(record.event_name, old, new)
    when = data.approximate_creation_date_time
    yield from _decode(models, record.event_name, old, new, when, expired, data.sequence_number)


def _from_record(record: ChangeRecord, models: Sequence[Model]) -> Iterator[Change[Any]]:
    yield from _decode(
        models,
        record.kind,
        record.old,
        record.new,
        record.when,
        record.expired,
        str(record.position),
    )


def _check_images(kind: ChangeKind, old: Item | None, new: Item | None) -> None:
    for image, name, without in ((old, "old", "INSERT"), (new, "new", "REMOVE")):
        if image is None and kind != without:
            raise ItemMismatch(
                f"the {kind} record has no {name} image. Enable the table's stream with the "
                "StreamViewType NEW_AND_OLD_IMAGES; one that is enabled must be disabled first."
            )


def _decode(
    models: Sequence[Model],
    kind: ChangeKind,
    old: Item | None,
    new: Item | None,
    when: float,
    expired: bool,
    position: str,
) -> Iterator[Change[Any]]:
    """Yield the change if the item is one of these entities."""
    item = new or old or {}
    model = next((model for model in models if model.matches(item)), None)
    if model is not None:
        before = None if old is None else decode_item(model, old)
        after = None if new is None else decode_item(model, new)
        moment = datetime.fromtimestamp(when, UTC)
        yield Change(kind, before, after, moment, expired, position)


def _from_event(
    record: Mapping[str, Any], models: Sequence[Model], context: Context
) -> Iterator[Change[Any]]:
    try:
        data = record["dynamodb"]
        kind = cast("ChangeKind", record["eventName"])
        if kind not in get_args(ChangeKind):
            raise ValueError
        when = float(data.get("ApproximateCreationDateTime", 0))
        datetime.fromtimestamp(when, UTC)
    except (KeyError, TypeError, ValueError):
        raise ItemMismatch(
            "expected a DynamoDB Streams record with eventName and dynamodb, but got "
            f"{str(record)[:200]}."
        ) from None
    models = _models_in_table(record, models, context)
    if not models:
        return
    old, new = cast("tuple[Item | None, Item | None]", (data.get("OldImage"), data.get("NewImage")))
    _check_images(kind, old, new)
    identity = cast("Mapping[str, Any]", record.get("userIdentity") or {})
    expired = identity.get("principalId") == DYNAMODB
    yield from _decode(models, kind, old, new, when, expired, str(data.get("SequenceNumber", "")))


def _models_in_table(
    record: Mapping[str, Any], models: Sequence[Model], context: Context
) -> list[Model]:
    """Return the models of the record's table."""
    source = record.get("eventSourceARN")
    names = {model.table: context.table_name(model.table) for model in models}
    if source is None and len(names) == 1:
        return list(models)
    arn = parse_arn(str(source))
    table = arn and arn.table
    if arn is None or table is None or "/stream/" not in arn.resource:
        raise ItemMismatch(
            "expected a record whose eventSourceARN names a table, as in arn:aws:dynamodb:…:"
            f"table/name/stream/…, but got {source!r}."
        )
    # Without `tables` an unknown name may be the real name of one of these tables, or another.
    if not context.table_names and table not in names.values():
        first = next(iter(names))
        raise InvalidValue(
            f"the record comes from table {table!r}, but the entities are in "
            f"{', '.join(map(repr, names.values()))}. If that is the real name, pass "
            f"tables={{{first.name}: {table!r}}}, as to a store. If it is another table, pass "
            f"tables={{{first.name}: {first.name!r}}} to skip it."
        )
    return [model for model in models if names[model.table] == table]
