"""What single-item writes tell when they are done."""

from __future__ import annotations

from msgspec import Raw

from singletable.engine.capacity import Cost, consumed
from singletable.engine.session import Session
from singletable.engine.table import Table
from singletable.operations import ItemCollectionMetrics, ItemWritten
from singletable.values import Item, item_to_json

GIGABYTE = 2**30


def item_written(
    session: Session,
    table: Table,
    key: Item,
    cost: Cost,
    attributes: Item | bytes | None,
    *,
    asked_capacity: str | None,
    asked_metrics: str | None,
) -> ItemWritten:
    """The result of a put, update or delete."""
    if isinstance(attributes, dict):
        attributes = item_to_json(attributes) if attributes else None
    return ItemWritten(
        None if attributes is None else Raw(attributes),
        consumed(table, cost, asked_capacity),
        collection_metrics(session, table, key, asked_metrics),
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
