"""Check and run BatchWriteItem."""

from __future__ import annotations

from dataclasses import dataclass

from singletable.engine.capacity import Cost, consumed
from singletable.engine.dialect import BATCH_WRITE
from singletable.engine.handlers.batch_get_item import DUPLICATES
from singletable.engine.handlers.put_item import TOO_LARGE
from singletable.engine.keys import check_index_keys, check_key
from singletable.engine.results import collection_metrics
from singletable.engine.session import Session
from singletable.engine.storage import Position
from singletable.engine.table import Table
from singletable.engine.write import delete, put, stored_at
from singletable.errors import ValidationError
from singletable.operations import (
    BatchWriteItem,
    ConsumedCapacity,
    ItemCollectionMetrics,
    ItemsWritten,
    WriteRequest,
)
from singletable.values import MAX_ITEM_SIZE, SEVERAL_TYPES, Item

MAX_WRITES = 25


@dataclass(frozen=True, slots=True)
class Write:
    """One write: an item to store, with its size, or a key to remove, without one."""

    item: Item
    size: int | None


@dataclass(frozen=True, slots=True)
class BatchWritePlan:
    """A batch whose items and keys are well formed."""

    request: BatchWriteItem
    tables: dict[str, list[Write]]


def check(request: BatchWriteItem) -> BatchWritePlan:
    """Raise ValidationError unless the request could be carried out on some tables."""
    plans: dict[str, list[Write]] = {}
    for name, writes in request.request_items.items():
        for write in writes:
            if (write.put_request is None) == (write.delete_request is None):
                raise ValidationError(SEVERAL_TYPES)
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
    raise ValidationError(SEVERAL_TYPES)


def run(plan: BatchWritePlan, session: Session) -> ItemsWritten:
    """Carry out every write; each stands for itself, and none waits for another."""
    tables = {name: session.table(name) for name in plan.tables}
    for name, writes in plan.tables.items():
        _check_keys(tables[name], writes)
    metrics: dict[str, list[ItemCollectionMetrics]] = {}
    capacities: list[ConsumedCapacity] = []
    for name, writes in plan.tables.items():
        table, cost = tables[name], Cost()
        touched: dict[bytes, Item] = {}
        for write in writes:
            cost.add(_carry_out(session, table, write))
            touched.setdefault(table.position(write.item).partition, write.item)
        collections = [
            told
            for item in touched.values()
            if (told := _metrics(session, table, item, plan)) is not None
        ]
        if collections:
            metrics[name] = collections
        capacity = consumed(table, cost, plan.request.return_consumed_capacity)
        if capacity is not None:
            capacities.append(capacity)
    return ItemsWritten({}, metrics or None, capacities or None)


def _carry_out(session: Session, table: Table, write: Write) -> Cost:
    old = stored_at(session, table, write.item)
    if write.size is None:
        return delete(session, old, write.item)
    return put(session, old, write.item, write.size)


def _metrics(
    session: Session, table: Table, item: Item, plan: BatchWritePlan
) -> ItemCollectionMetrics | None:
    asked = plan.request.return_item_collection_metrics
    return collection_metrics(session, table, item, asked)


def _check_keys(table: Table, writes: list[Write]) -> None:
    """Raise unless every write has a key of its own that fits the table."""
    seen: set[Position] = set()
    for write in writes:
        if write.size is None:
            check_key(table, write.item)
        else:
            _check_put_keys(table, write.item)
        position = table.position(write.item)
        if position in seen:
            raise ValidationError(DUPLICATES)
        seen.add(position)


def _check_put_keys(table: Table, item: Item) -> None:
    """A batch says of a missing or wrong key what a get says; PutItem is more precise."""
    check_key(table, {name: item[name] for name in table.key.names if name in item})
    check_index_keys(table, item)
