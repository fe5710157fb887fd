"""Handle BatchWriteItem."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from dynamodb_engine.engine.capacity import Cost, consumed_capacities
from dynamodb_engine.engine.catalog import Session
from dynamodb_engine.engine.handlers.batch_get_item import DUPLICATES
from dynamodb_engine.engine.item_write import delete, load_item, metrics_by_table, put
from dynamodb_engine.engine.key_validation import check_index_keys, encode_key
from dynamodb_engine.engine.storage import RowKey
from dynamodb_engine.engine.table import Table
from dynamodb_engine.engine.validation import BATCH_WRITE
from dynamodb_engine.errors import ValidationError
from dynamodb_engine.operations import BatchWriteItem, BatchWriteItemOutput, WriteRequest
from dynamodb_engine.values import MAX_ITEM_SIZE, MULTIPLE_TYPES, Item, ValueTooLarge

VALIDATOR = BATCH_WRITE
MAX_WRITES = 25


class BatchedWrite(Struct, frozen=True):
    """One write: an item to put, with its size, or a key to delete, without one."""

    item: Item
    size: int | None


class BatchWritePlan(Struct, frozen=True):
    """A batch with validated items and keys."""

    request: BatchWriteItem
    tables: dict[str, list[BatchedWrite]]


def check(request: BatchWriteItem) -> BatchWritePlan:
    """Raise ValidationError if the request is invalid for every table."""
    plans: dict[str, list[BatchedWrite]] = {}
    for name, writes in request.request_items.items():
        for write in writes:
            if (write.put_request is None) == (write.delete_request is None):
                raise ValidationError(MULTIPLE_TYPES)
        plans[name] = [_check_write(write) for write in writes]
    if sum(map(len, plans.values())) > MAX_WRITES:
        raise ValidationError("Too many items requested for the BatchWriteItem call")
    return BatchWritePlan(request, plans)


def _check_write(request: WriteRequest) -> BatchedWrite:
    if request.put_request is not None:
        item, size = BATCH_WRITE.check_item(request.put_request.item)
        if size > MAX_ITEM_SIZE:
            raise ValueTooLarge
        return BatchedWrite(item, size)
    if request.delete_request is not None:
        return BatchedWrite(BATCH_WRITE.check_item(request.delete_request.key)[0], None)
    raise ValidationError(MULTIPLE_TYPES)


def places(plan: BatchWritePlan, session: Session) -> list[tuple[Table, RowKey]]:
    """Return the places of all items."""
    tables = [(session.table(name), writes) for name, writes in plan.tables.items()]
    return [(table, key) for table, writes in tables for key in _row_keys(table, writes)]


def run(plan: BatchWritePlan, session: Session) -> BatchWriteItemOutput:
    """Apply every write, independently of the others."""
    tables = {name: session.table(name) for name in plan.tables}
    row_keys = {name: _row_keys(tables[name], writes) for name, writes in plan.tables.items()}
    costs: list[tuple[Table, Cost]] = []
    detail = plan.request.return_item_collection_metrics
    written: dict[str, tuple[Table, Iterable[Item]]] = {}
    for name, writes in plan.tables.items():
        table, keys, cost = tables[name], row_keys[name], Cost()
        for key, write in zip(keys, writes, strict=True):
            cost.add(_apply(session, table, key, write))
        costs.append((table, cost))
        if detail is not None:
            by_partition = {key.partition: w.item for key, w in zip(keys, writes, strict=True)}
            written[name] = table, by_partition.values()
    return BatchWriteItemOutput(
        {},
        metrics_by_table(session, written, detail),
        consumed_capacities(costs, plan.request.return_consumed_capacity),
    )


def _apply(session: Session, table: Table, key: RowKey, write: BatchedWrite) -> Cost:
    old = load_item(session, table, key)
    if write.size is None:
        return delete(session, old)
    return put(session, old, write.item, write.size)


def _row_keys(table: Table, writes: list[BatchedWrite]) -> list[RowKey]:
    """Return the row keys; raise unless all are distinct and match the table."""
    keys: dict[RowKey, None] = {}
    for write in writes:
        if write.size is None:
            key = encode_key(table, write.item)
        else:
            # A batch reports a missing or wrong key as a get does; PutItem is more specific.
            key = encode_key(
                table, {name: write.item[name] for name in table.key.names if name in write.item}
            )
            check_index_keys(table, write.item)
        if key in keys:
            raise ValidationError(DUPLICATES)
        keys[key] = None
    return list(keys)
