"""Changes of entities, decoded from the engine's change feed or from DynamoDB Streams events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import (
    Any,
    Generic,
    Literal,
    TypeAlias,
    TypedDict,
    TypeVar,
    Unpack,
    cast,
    get_args,
    overload,
)

from dynamodb_engine.operations import ChangeRecord, ReadChanges, ReadChangesOutput, Record
from dynamodb_engine.operations.arn import parse_arn
from dynamodb_engine.retry import send
from dynamodb_engine.steps import Steps
from dynamodb_engine.values import Item
from singletable.errors import InvalidValue, ItemMismatch
from singletable.schema import Model, Table
from singletable.store.context import Context, create_context
from singletable.store.decoder import OnMismatch, decode_each, decode_item
from singletable.store.options import check_options
from singletable.store.validation import check_callback, check_count, models_of

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


class EventOptions(TypedDict, total=False):
    """The options of `parse_stream_event`.

    `tables` maps tables to their real names, as for a store; with it, records of other tables are
    skipped. With `on_mismatch`, changes whose items do not fit are reported to this function and
    skipped.
    """

    tables: Mapping[Table, str] | None
    on_mismatch: OnMismatch | None


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
    changes: list[Change[Any]] = []
    for record in output.changes:
        try:
            changes += _from_record(record, models.get(record.table_name, []))
        except ItemMismatch:
            if not changes:
                raise
            return Changes(changes, record.position - 1)  # the next call raises
    return Changes(changes, output.position)


@overload
def parse_stream_event(
    event: Mapping[str, Any], a: type[A], /, **options: Unpack[EventOptions]
) -> list[Change[A]]: ...
@overload
def parse_stream_event(
    event: Mapping[str, Any], a: type[A], b: type[B], /, **options: Unpack[EventOptions]
) -> list[Change[A | B]]: ...
@overload
def parse_stream_event(
    event: Mapping[str, Any],
    a: type[A],
    b: type[B],
    c: type[C],
    /,
    **options: Unpack[EventOptions],
) -> list[Change[A | B | C]]: ...
@overload
def parse_stream_event(
    event: Mapping[str, Any],
    a: type[A],
    b: type[B],
    c: type[C],
    d: type[D],
    /,
    **options: Unpack[EventOptions],
) -> list[Change[A | B | C | D]]: ...
@overload
def parse_stream_event(
    event: Mapping[str, Any], /, *entities: type[Any], **options: Unpack[EventOptions]
) -> list[Change[Any]]: ...
def parse_stream_event(
    event: Mapping[str, Any], /, *entities: type[Any], **options: Unpack[EventOptions]
) -> list[Change[Any]]:
    """Return the changes in an event that AWS Lambda receives from DynamoDB Streams.

    The stream must contain new and old images. Records of other entities are skipped. See
    EventOptions for the options.
    """
    check_options("parse_stream_event", EventOptions, options)
    models, on_mismatch = models_of(entities), options.get("on_mismatch")
    check_callback("on_mismatch", on_mismatch)
    if not isinstance(event, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidValue(f"expected a DynamoDB Streams event with Records, but got {event!r}.")
    context = create_context(options.get("tables"))
    parse = partial(_from_event, models=models, context=context)
    return [
        change
        for changes in decode_each(parse, event.get("Records", []), on_mismatch)
        for change in changes
    ]


def from_stream(record: Record, models: Sequence[Model], shard: str) -> list[Change[Any]]:
    """Return the change in a record of a stream if its item is one of these entities."""
    data, identity = record.dynamodb, record.user_identity
    expired = identity is not None and identity.principal_id == DYNAMODB
    old, new, when = data.old_image, data.new_image, data.approximate_creation_date_time
    try:
        _check_images(record.event_name, old, new)
        return _decode(models, record.event_name, old, new, when, expired, data.sequence_number)
    except ItemMismatch as error:
        raise _placed(error, data.sequence_number, when, shard) from None


def _from_record(record: ChangeRecord, models: Sequence[Model]) -> list[Change[Any]]:
    position = str(record.position)
    try:
        return _decode(
            models, record.kind, record.old, record.new, record.when, record.expired, position
        )
    except ItemMismatch as error:
        raise _placed(error, position, record.when) from None


def _placed(
    error: ItemMismatch, position: str, when: float, shard: str | None = None
) -> ItemMismatch:
    """Return the error with the place of the change."""
    error.position, error.shard = position or None, shard
    error.when = datetime.fromtimestamp(when, UTC)
    return error


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
) -> list[Change[Any]]:
    """Return the change if the item is one of these entities."""
    item = new or old or {}
    model = next((model for model in models if model.matches(item)), None)
    if model is None:
        return []
    before = None if old is None else decode_item(model, old)
    after = None if new is None else decode_item(model, new)
    moment = datetime.fromtimestamp(when, UTC)
    return [Change(kind, before, after, moment, expired, position)]


def _from_event(
    record: Mapping[str, Any], models: Sequence[Model], context: Context
) -> list[Change[Any]]:
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
        return []
    old, new = cast("tuple[Item | None, Item | None]", (data.get("OldImage"), data.get("NewImage")))
    identity = cast("Mapping[str, Any]", record.get("userIdentity") or {})
    expired = identity.get("principalId") == DYNAMODB
    position = str(data.get("SequenceNumber", ""))
    try:
        _check_images(kind, old, new)
        return _decode(models, kind, old, new, when, expired, position)
    except ItemMismatch as error:
        raise _placed(error, position, when) from None


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
