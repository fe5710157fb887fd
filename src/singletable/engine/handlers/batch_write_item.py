"""Check and run BatchWriteItem."""

from __future__ import annotations

from msgspec import Struct

from singletable.engine.capacity import Cost, consumed_capacity
from singletable.engine.catalog import Session
from singletable.engine.handlers.batch_get_item import DUPLICATES
from singletable.engine.handlers.put_item import TOO_LARGE
from singletable.engine.item_write import delete, item_collection_metrics, load_item, put
from singletable.engine.key_validation import check_index_keys, encode_key
from singletable.engine.storage import RowKey
from singletable.engine.table import Table
from singletable.engine.validation import BATCH_WRITE
from singletable.errors import ValidationError
from singletable.operations import (
    BatchWriteItem,
    BatchWriteItemOutput,
    ConsumedCapacity,
    ItemCollectionMetrics,
    WriteRequest,
)
from singletable.values import MAX_ITEM_SIZE, MULTIPLE_TYPES, Item

VALIDATOR = BATCH_WRITE
MAX_WRITES = 25


class Write(Struct, frozen=True):
    """One write: an item to store, with its size, or a key to remove, without one."""

    item: Item
    size: int | None


class BatchWritePlan(Struct, frozen=True):
    """A batch whose items and keys are well formed."""

    request: BatchWriteItem
    tables: dict[str, list[Write]]


def check(request: BatchWriteItem) -> BatchWritePlan:
    """Raise ValidationError unless the request could be carried out on some tables."""
    plans: dict[str, list[Write]] = {}
    for name, writes in request.request_items.items():
        for write in writes:
            if (write.put_request is None) == (write.delete_request is None):
                raise ValidationError(MULTIPLE_TYPES)
        plans[name] = [_write(write) for write in writes]
    if sum(map(len, plans.values())) > MAX_WRITES:
        raise ValidationError("Too many items requested for the BatchWriteItem call")
    return BatchWritePlan(request, plans)


def _write(request: WriteRequest) -> Write:
    if request.put_request is not None:
        item, size = BATCH_WRITE.check_item(request.put_request.item)
        if size > MAX_ITEM_SIZE:
            raise ValidationError(TOO_LARGE)
        return Write(item, size)
    if request.delete_request is not None:
        return Write(BATCH_WRITE.check_item(request.delete_request.key)[0], None)
    raise ValidationError(MULTIPLE_TYPES)


def run(plan: BatchWritePlan, session: Session) -> BatchWriteItemOutput:
    """Carry out every write; each stands for itself, and none waits for another."""
    tables = {name: session.table(name) for name in plan.tables}
    places = {name: _positions(tables[name], writes) for name, writes in plan.tables.items()}
    metrics: dict[str, list[ItemCollectionMetrics]] = {}
    capacities: list[ConsumedCapacity] = []
    for name, writes in plan.tables.items():
        table, positions, cost = tables[name], places[name], Cost()
        for position, write in zip(positions, writes, strict=True):
            cost.add(_carry_out(session, table, position, write))
        if plan.request.return_item_collection_metrics is not None:
            touched = {table.row_key(write.item).partition: write.item for write in writes}
            if collections := _metrics(session, table, list(touched.values()), plan):
                metrics[name] = collections
        capacity = consumed_capacity(table, cost, plan.request.return_consumed_capacity)
        if capacity is not None:
            capacities.append(capacity)
    return BatchWriteItemOutput({}, metrics or None, capacities or None)


def _carry_out(session: Session, table: Table, position: RowKey, write: Write) -> Cost:
    old = load_item(session, table, position)
    if write.size is None:
        return delete(session, old)
    return put(session, old, write.item, write.size)


def _metrics(
    session: Session, table: Table, items: list[Item], plan: BatchWritePlan
) -> list[ItemCollectionMetrics]:
    asked = plan.request.return_item_collection_metrics
    told = [item_collection_metrics(session, table, item, asked) for item in items]
    return [one for one in told if one is not None]


def _positions(table: Table, writes: list[Write]) -> list[RowKey]:
    """Where the items stand; raises unless every write has a key of its own that fits the table."""
    positions: dict[RowKey, None] = {}
    for write in writes:
        if write.size is None:
            position = encode_key(table, write.item)
        else:
            position = encode_key(table, _key_in(table, write.item))
            check_index_keys(table, write.item)
        if position in positions:
            raise ValidationError(DUPLICATES)
        positions[position] = None
    return list(positions)


def _key_in(table: Table, item: Item) -> Item:
    """A batch says of a missing or wrong key what a get says; PutItem is more precise."""
    return {name: item[name] for name in table.key.names if name in item}
