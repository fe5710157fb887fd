"""What single-item writes tell when they are done."""

from __future__ import annotations

from msgspec import Raw

from singletable.engine.capacity import Cost, consumed
from singletable.engine.session import Session
from singletable.engine.table import Table
from singletable.engine.write import Stored
from singletable.operations import (
    DeleteItem,
    ItemCollectionMetrics,
    PutItem,
    UpdateItem,
    WriteItemOutput,
)
from singletable.values import Item

GIGABYTE = 2**30
NOTHING_ASKED = WriteItemOutput()


def item_written(
    session: Session,
    request: PutItem | UpdateItem | DeleteItem,
    old: Stored,
    key: Item,
    cost: Cost,
    attributes: bytes | None,
) -> WriteItemOutput:
    """The result of a put, update or delete."""
    capacity, metrics = request.return_consumed_capacity, request.return_item_collection_metrics
    if attributes is None and capacity is None and metrics is None:
        return NOTHING_ASKED
    return WriteItemOutput(
        None if attributes is None else Raw(attributes),
        consumed(old.table, cost, capacity),
        collection_metrics(session, old.table, key, metrics),
    )


def collection_metrics(
    session: Session, table: Table, key: Item, asked: str | None
) -> ItemCollectionMetrics | None:
    """How large the item collection is that a write touched: whole gigabytes, from and to.

    Only tables with local secondary indexes have collections that DynamoDB measures.
    """
    if asked != "SIZE" or not table.has_local_indexes:
        return None
    partition = table.position(key).partition
    rows = [table.rows, *(index.rows for index in table.indexes if not index.is_global)]
    size = sum(one.partition_size(session.execute, partition) for one in rows)
    name = table.key.partition[0].name
    lower = float(size // GIGABYTE)
    return ItemCollectionMetrics({name: key[name]}, [lower, lower + 1])
