"""Carry out one write: the row, the entries of every index, the feed; and what it costs."""

from __future__ import annotations

from msgspec import Struct

from singletable.engine.capacity import Cost, write_units
from singletable.engine.feed import record_change
from singletable.engine.session import Session
from singletable.engine.storage import Position, Row
from singletable.engine.table import Index, Table
from singletable.values import Item, item_from_json, item_size, item_to_json


class Stored(Struct):
    """What a table holds at a position, decoded when it is looked at."""

    table: Table
    position: Position
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


def stored_at(session: Session, table: Table, position: Position) -> Stored:
    """What the table holds at a position."""
    return Stored(table, position, table.rows.get(session.execute, position))


def put(session: Session, old: Stored, item: Item, size: int) -> Cost:
    """Set the item at a position."""
    table, row = old.table, old.row
    json = item_to_json(item)
    if row is None:
        cost = Cost(write_units(size))
        table.rows.add(session.execute, old.position, size, json, table.expiry(item))
    else:
        cost = Cost(write_units(max(size, row.size)))
        if row.size == size and (row.json == json or old.item == item):
            # DynamoDB charges a write that changes nothing, and tells no stream and no index of it.
            return cost
        table.rows.replace(session.execute, row.id, size, json, table.expiry(item))
    for index in table.indexes:
        _index_put(session, index, old, item, size, json, cost)
    record_change(session, table, None if row is None else row.json, json)
    return cost


def delete(session: Session, old: Stored, *, expired: bool = False) -> Cost:
    """Remove what is at a position; to remove nothing costs a unit, too."""
    cost = Cost(write_units(old.size))
    if old.row is None:
        return cost
    table = old.table
    table.rows.delete(session.execute, old.row)
    for index in table.indexes:
        if old.item is not None and index.key.in_item(old.item):
            index.rows.remove_at(session.execute, index.position(old.item))
            cost.add_index(
                index.name, index.is_global, write_units(_entry_size(index, old.item, old.size))
            )
    record_change(session, table, old.row.json, None, expired=expired)
    return cost


def _index_put(
    session: Session, index: Index, old: Stored, item: Item, size: int, json: bytes, cost: Cost
) -> None:
    """Bring an index up to date: 0 units if its view is the same, 2 if the entry moves, else 1."""
    before = old.item if old.item is not None and index.key.in_item(old.item) else None
    after = item if index.key.in_item(item) else None
    if before is None and after is None:
        return
    units = 0
    old_position = None if before is None else index.position(before)
    new_position = None if after is None else index.position(after)
    if before is not None and old_position is not None and old_position != new_position:
        index.rows.remove_at(session.execute, old_position)
        units += write_units(_entry_size(index, before, old.size))
    if after is not None and new_position is not None:
        moved = old_position != new_position
        if moved or before is None or _entry_changed(index, before, after):
            new_size = _entry_size(index, after, size)
            entry = json if index.projected is None else item_to_json(index.project(after))
            index.rows.set_at(session.execute, new_position, new_size, entry)
            old_size = 0 if moved or before is None else _entry_size(index, before, old.size)
            units += write_units(max(new_size, old_size))
    cost.add_index(index.name, index.is_global, units)


def _entry_changed(index: Index, before: Item, after: Item) -> bool:
    if index.projected is None:
        return before != after
    return index.project(before) != index.project(after)


def _entry_size(index: Index, item: Item, size: int) -> int:
    return size if index.projected is None else item_size(index.project(item))
