"""Carry out one write: the row, the entries of every index, the feed; and what it costs."""

from __future__ import annotations

from msgspec import Raw, Struct

from singletable.engine.capacity import Cost, consumed_capacity, write_units
from singletable.engine.catalog import Session
from singletable.engine.change_feed import append_change
from singletable.engine.storage import Row, RowKey
from singletable.engine.table import Index, Table
from singletable.errors import ConditionFailed
from singletable.expressions import Condition, holds
from singletable.operations import (
    DeleteItem,
    ItemCollectionMetrics,
    PutItem,
    UpdateItem,
    WriteItemOutput,
)
from singletable.values import Item, item_from_json, item_size, item_to_json


class StoredItem(Struct):
    """What a table holds at a position, decoded when it is looked at."""

    table: Table
    position: RowKey
    row: Row | None
    known: Item | None = None

    @property
    def item(self) -> Item | None:
        """The item; None if there is none."""
        if self.known is None and self.row is not None:
            self.known = item_from_json(self.row.json)
        return self.known

    @property
    def json(self) -> bytes | None:
        """The item as it rests; None if there is none."""
        return None if self.row is None else self.row.json

    @property
    def size(self) -> int:
        """The item's size; nothing has none."""
        return 0 if self.row is None else self.row.size


def load_item(session: Session, table: Table, position: RowKey) -> StoredItem:
    """What the table holds at a position."""
    return StoredItem(table, position, table.rows.get(session.execute, position))


def put(session: Session, old: StoredItem, item: Item, size: int) -> Cost:
    """Set the item at a position."""
    table, row = old.table, old.row
    json = item_to_json(item)
    if row is None:
        cost = Cost(write_units(size))
        table.rows.add(session.execute, old.position, size, json, table.expires_at(item))
    else:
        cost = Cost(write_units(max(size, row.size)))
        if row.size == size and (row.json == json or old.item == item):
            # DynamoDB charges a write that changes nothing, and tells no stream and no index of it.
            return cost
        table.rows.replace(session.execute, row.id, size, json, table.expires_at(item))
    for index in table.indexes:
        _index_put(session, index, old, item, size, json, cost)
    append_change(session, table, None if row is None else row.json, json)
    return cost


def delete(session: Session, old: StoredItem, *, expired: bool = False) -> Cost:
    """Remove what is at a position; to remove nothing costs a unit, too."""
    cost = Cost(write_units(old.size))
    if old.row is None:
        return cost
    table = old.table
    table.rows.delete(session.execute, old.row)
    for index in table.indexes:
        if old.item is not None and index.key.matches(old.item):
            index.rows.delete_at(session.execute, index.row_key(old.item))
            cost.add_index(
                index.name, index.is_global, write_units(_entry_size(index, old.item, old.size))
            )
    append_change(session, table, old.row.json, None, expired=expired)
    return cost


def _index_put(
    session: Session, index: Index, old: StoredItem, item: Item, size: int, json: bytes, cost: Cost
) -> None:
    """Bring an index up to date: 0 units if its view is the same, 2 if the entry moves, else 1."""
    before = old.item if old.item is not None and index.key.matches(old.item) else None
    after = item if index.key.matches(item) else None
    if before is None and after is None:
        return
    units = 0
    old_position = None if before is None else index.row_key(before)
    new_position = None if after is None else index.row_key(after)
    if before is not None and old_position is not None and old_position != new_position:
        index.rows.delete_at(session.execute, old_position)
        units += write_units(_entry_size(index, before, old.size))
    if after is not None and new_position is not None:
        moved = old_position != new_position
        if moved or before is None or _entry_changed(index, before, after):
            new_size = _entry_size(index, after, size)
            entry = (
                json if index.projected_attributes is None else item_to_json(index.project(after))
            )
            index.rows.upsert(session.execute, new_position, new_size, entry)
            old_size = 0 if moved or before is None else _entry_size(index, before, old.size)
            units += write_units(max(new_size, old_size))
    cost.add_index(index.name, index.is_global, units)


def _entry_changed(index: Index, before: Item, after: Item) -> bool:
    if index.projected_attributes is None:
        return before != after
    return index.project(before) != index.project(after)


def _entry_size(index: Index, item: Item, size: int) -> int:
    return size if index.projected_attributes is None else item_size(index.project(item))


# FROM condition.py: Whether the item as it stands lets a write go on.


def check_condition(condition: Condition | None, old: StoredItem, return_old: str | None) -> None:
    """Raise ConditionFailed unless the condition holds for the item, or for none if there is none.

    DynamoDB tests against an empty item then: that is how attribute_not_exists(pk) creates once.
    """
    if condition is None or holds(condition, old.item or {}):
        return
    raise ConditionFailed(item=old.item if return_old == "ALL_OLD" else None)


# FROM results.py: What single-item writes tell when they are done.

GIGABYTE = 2**30
NOTHING_ASKED = WriteItemOutput()


def write_output(
    session: Session,
    request: PutItem | UpdateItem | DeleteItem,
    old: StoredItem,
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
        consumed_capacity(old.table, cost, capacity),
        item_collection_metrics(session, old.table, key, metrics),
    )


def item_collection_metrics(
    session: Session, table: Table, key: Item, asked: str | None
) -> ItemCollectionMetrics | None:
    """How large the item collection is that a write touched: whole gigabytes, from and to.

    Only tables with local secondary indexes have collections that DynamoDB measures.
    """
    if asked != "SIZE" or not table.has_local_indexes:
        return None
    partition = table.row_key(key).partition
    rows = [table.rows, *(index.rows for index in table.indexes if not index.is_global)]
    size = sum(one.partition_size(session.execute, partition) for one in rows)
    name = table.key.partition[0].name
    lower = float(size // GIGABYTE)
    return ItemCollectionMetrics({name: key[name]}, [lower, lower + 1])
