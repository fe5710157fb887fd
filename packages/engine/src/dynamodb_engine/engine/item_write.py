"""Store or delete one item: check the condition, write the row, the indexes and the change feed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Raw, Struct

from dynamodb_engine import operations as ops
from dynamodb_engine.engine.capacity import Cost, consumed_capacity, write_units
from dynamodb_engine.engine.catalog import Session
from dynamodb_engine.engine.change_feed import append_change
from dynamodb_engine.engine.key_validation import has_valid_keys
from dynamodb_engine.engine.storage import Row, RowKey
from dynamodb_engine.engine.table import Index, Table
from dynamodb_engine.errors import ConditionFailed
from dynamodb_engine.expressions import Condition, holds
from dynamodb_engine.values import Item, attribute_size, item_from_json, item_to_json

GIGABYTE = 2**30
EMPTY_OUTPUT = ops.WriteItemOutput()


class StoredItem(Struct):
    """The row at a key, or None; the item is decoded when it is first used."""

    table: Table
    key: RowKey
    row: Row | None
    decoded: Item | None = None

    @property
    def item(self) -> Item | None:
        """Return the item, or None."""
        if self.decoded is None and self.row is not None:
            self.decoded = item_from_json(self.row.json)
        return self.decoded

    @property
    def json(self) -> bytes | None:
        """Return the stored JSON of the item, or None."""
        return None if self.row is None else self.row.json

    @property
    def size(self) -> int:
        """Return the size of the item, or 0."""
        return 0 if self.row is None else self.row.size


class MeasuredItem(Struct):
    """An item with its size and, once they are needed, the sizes of its attributes."""

    item: Item
    size: int
    attribute_sizes: dict[str, int] = {}

    def entry_size(self, index: Index) -> int:
        """Return the size of the item in the index. Twenty indexes may project a large value."""
        if index.projected_attributes is None:
            return self.size
        total, sizes = 0, self.attribute_sizes
        for name, value in self.item.items():
            if name in index.projected_attributes:
                if name not in sizes:
                    sizes[name] = attribute_size(name, value)
                total += sizes[name]
        return total


def load_item(session: Session, table: Table, key: RowKey) -> StoredItem:
    """Read the row at a key."""
    return StoredItem(table, key, table.rows.get(session.execute, key))


def check_condition(condition: Condition | None, old: StoredItem, return_old: str | None) -> None:
    """Raise ConditionFailed unless the stored item satisfies the condition.

    Like DynamoDB, check a missing item as an empty one: that is how attribute_not_exists(pk)
    creates an item only once.
    """
    if condition is None or holds(condition, old.item or {}):
        return
    raise ConditionFailed(item=old.item if return_old == "ALL_OLD" else None)


def put(session: Session, old: StoredItem, item: Item, size: int) -> Cost:
    """Store an item in place of the old one."""
    table, row = old.table, old.row
    json = item_to_json(item)
    position = session.catalog.newest_change + 1
    if row is None:
        cost = Cost(write_units(size))
        table.rows.add(session.command, old.key, size, json, position, table.expires_at(item))
        session.catalog.counts.add(table.rows.name, 1, size)
    else:
        cost = Cost(write_units(max(size, row.size)))
        if row.size == size and (row.json == json or old.item == item):
            # DynamoDB charges for a write that changes nothing, but updates no stream or index.
            return cost
        expires = table.expires_at(item)
        table.rows.replace(session.command, old.key, row, size, json, expires)
        if size != row.size:
            session.catalog.counts.add(table.rows.name, 0, size - row.size)
    if table.indexes:
        before = None if old.item is None else MeasuredItem(old.item, old.size)
        after = MeasuredItem(item, size)
        for index in table.indexes:
            _update_index(session, index, before, after, json, cost)
    append_change(session, table, row, json)
    return cost


def delete(session: Session, old: StoredItem, *, expired: bool = False) -> Cost:
    """Delete an item; deleting a missing item costs a unit as well."""
    cost = Cost(write_units(old.size))
    if old.row is None:
        return cost
    table = old.table
    table.rows.delete(session.command, old.key, old.row)
    session.catalog.counts.add(table.rows.name, -1, -old.size)
    if table.indexes and old.item is not None:
        item = MeasuredItem(old.item, old.size)
        for index in table.indexes:
            if has_valid_keys(index, item.item):
                size = item.entry_size(index)
                index.rows.delete_at(session.command, index.row_key(item.item))
                session.catalog.counts.add(index.rows.name, -1, -size)
                cost.add_index(index.name, index.is_global, write_units(size))
    append_change(session, table, old.row, None, expired=expired)
    return cost


def _update_index(
    session: Session,
    index: Index,
    old: MeasuredItem | None,
    new: MeasuredItem,
    json: bytes,
    cost: Cost,
) -> None:
    """Update an index: 0 units if its entry is unchanged, 2 if the entry moves, otherwise 1."""
    counts, rows = session.catalog.counts, index.rows
    key = index.row_key(new.item) if has_valid_keys(index, new.item) else None
    units = old_size = 0
    if old is not None and has_valid_keys(index, old.item):
        old_key, old_size = index.row_key(old.item), old.entry_size(index)
        if old_key == key and not _is_entry_changed(index, old.item, new.item):
            return
        counts.add(rows.name, -1, -old_size)
        if old_key != key:
            rows.delete_at(session.command, old_key)
            units, old_size = write_units(old_size), 0
    if key is not None:
        size = new.entry_size(index)
        if index.projected_attributes is None:
            entry = json
        else:
            entry = item_to_json(index.project(new.item))
        rows.upsert(session.command, key, size, entry, session.catalog.newest_change + 1)
        counts.add(rows.name, 1, size)
        units += write_units(max(size, old_size))
    cost.add_index(index.name, index.is_global, units)


def _is_entry_changed(index: Index, before: Item, after: Item) -> bool:
    if index.projected_attributes is None:
        return before != after
    return index.project(before) != index.project(after)


def output_of_write(
    session: Session,
    request: ops.PutItem | ops.UpdateItem | ops.DeleteItem,
    old: StoredItem,
    key: Item,
    cost: Cost,
    attributes: bytes | None,
) -> ops.WriteItemOutput:
    """Return the output of a put, update or delete."""
    capacity, metrics = request.return_consumed_capacity, request.return_item_collection_metrics
    if attributes is None and capacity is None and metrics is None:
        return EMPTY_OUTPUT
    return ops.WriteItemOutput(
        None if attributes is None else Raw(attributes),
        consumed_capacity(old.table, cost, capacity),
        item_collection_metrics(session, old.table, key, metrics),
    )


def item_collection_metrics(
    session: Session, table: Table, key: Item, detail: str | None
) -> ops.ItemCollectionMetrics | None:
    """Return the size of the item collection of a key as a range in gigabytes, if requested.

    DynamoDB measures item collections only for tables with local secondary indexes.
    """
    if detail != "SIZE" or not table.has_local_indexes:
        return None
    partition = table.row_key(key).partition
    collection = [table.rows, *(index.rows for index in table.indexes if not index.is_global)]
    size = sum(rows.partition_size(session.execute, partition) for rows in collection)
    name = table.key.partition[0].name
    lower = float(size // GIGABYTE)
    return ops.ItemCollectionMetrics({name: key[name]}, [lower, lower + 1])


def metrics_by_table(
    session: Session, written: Mapping[str, tuple[Table, Iterable[Item]]], detail: str | None
) -> dict[str, list[ops.ItemCollectionMetrics]] | None:
    """Return the item collection metrics of a batch or transaction, if requested.

    `written` has, by table name, one item or key of each partition that was written.
    """
    metrics: dict[str, list[ops.ItemCollectionMetrics]] = {}
    for name, (table, items) in written.items():
        collections = [item_collection_metrics(session, table, item, detail) for item in items]
        if known := [collection for collection in collections if collection is not None]:
            metrics[name] = known
    return metrics or None
