"""One page of a query or scan: rows in order until a limit, a megabyte or the end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from msgspec import Raw

from singletable.engine.capacity import Cost, consumed, read_units
from singletable.engine.projection import projected_json
from singletable.engine.select import Selection
from singletable.engine.session import Session
from singletable.engine.storage import Row
from singletable.engine.table import Index, Table
from singletable.expressions import Condition, Projection, holds
from singletable.operations import ConsumedCapacity, Page, Query, Scan
from singletable.values import Item, item_from_json

MEGABYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Reading:
    """What is wanted of the rows that a query or scan goes through."""

    table: Table
    index: Index | None
    filter: Condition | None
    projection: Projection | None
    count_only: bool
    fetch: bool  # the entry is not enough: the item itself is read from the table
    limit: int | None
    consistent: bool
    capacity: str | None

    @classmethod
    def of(
        cls,
        request: Query | Scan,
        table: Table,
        index: Index | None,
        condition: Condition | None,
        selection: Selection,
    ) -> Reading:
        """What the request wants, once it is known what the table or the index can give."""
        return cls(
            table,
            index,
            condition,
            selection.projection,
            request.select == "COUNT",
            selection.fetch,
            request.limit,
            bool(request.consistent_read),
            request.return_consumed_capacity,
        )

    @property
    def target(self) -> Table | Index:
        """Whose rows are read."""
        return self.table if self.index is None else self.index

    @property
    def sizes_only(self) -> bool:
        """Whether the items need not be looked at."""
        return self.count_only and self.filter is None


def read_page(session: Session, reading: Reading, rows: Iterator[tuple[int, int, bytes]]) -> Page:
    """Go through rows, each with its id, its size and its JSON, to the end of a page."""
    items: list[Raw] = []
    count = scanned = size = 0
    fetched = 0.0
    last: Item | None = None
    for row_id, row_size, entry in rows:
        json = entry
        scanned += 1
        size += row_size
        if reading.fetch:
            json, units = _fetch(session, reading, json)
            fetched += units
        if reading.filter is None or holds(reading.filter, item_from_json(json)):
            count += 1
            if not reading.count_only:
                items.append(_cut(reading.projection, json))
        if scanned == reading.limit or size >= MEGABYTE:
            entry = entry or reading.target.rows.json_of(session.execute, row_id)
            last = _key(reading.target, entry)
            break
    return Page(
        count,
        scanned,
        None if reading.count_only else items,
        last,
        _capacity(reading, size, fetched),
    )


def _key(target: Table | Index, entry: bytes) -> Item:
    """What the next page begins after: the attributes that tell this entry from all others."""
    item = item_from_json(entry)
    return {attribute.name: item[attribute.name] for attribute in target.page_key}


def _cut(projection: Projection | None, json: bytes) -> Raw:
    return Raw(json if projection is None else projected_json(projection, json))


def _fetch(session: Session, reading: Reading, entry: bytes) -> tuple[bytes, float]:
    """The whole item behind a local index's entry, and what reading it costs."""
    table = reading.table
    row: Row | None = table.rows.get(session.execute, table.position(item_from_json(entry)))
    if row is None:
        return entry, 0
    return row.json, read_units(row.size, consistent=reading.consistent)


def _capacity(reading: Reading, size: int, fetched: float) -> ConsumedCapacity | None:
    units = read_units(size, consistent=reading.consistent)
    cost = Cost(fetched)
    if reading.index is None:
        cost.table += units
    else:
        cost.add_index(reading.index.name, reading.index.is_global, units)
    return consumed(reading.table, cost, reading.capacity)
