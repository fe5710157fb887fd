"""One page of a query or scan: rows in order until a limit, a megabyte or the end."""

from __future__ import annotations

from msgspec import Raw, Struct

from singletable.engine.capacity import Cost, consumed, read_units
from singletable.engine.projection import projected_json
from singletable.engine.select import Selection
from singletable.engine.session import Session
from singletable.engine.storage import Stretch, count_page
from singletable.engine.table import Index, Table
from singletable.expressions import Condition, Projection, holds
from singletable.operations import ConsumedCapacity, PageOutput, Query, Scan
from singletable.values import Item, item_from_json

MEGABYTE = 1024 * 1024


class Reading(Struct, frozen=True):
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


def read_page(session: Session, reading: Reading, stretch: Stretch) -> PageOutput:
    """Go through rows to the end of a page."""
    if reading.sizes_only:
        return _count(session, reading, stretch)
    entries: list[bytes] = []
    size, last = 0, None
    for row_size, json in stretch.rows(session.execute):
        entries.append(json)
        size += row_size
        if size >= MEGABYTE or len(entries) == reading.limit:
            last = _key(reading.target, json)
            break
    found, fetched = _fetch(session, reading, entries) if reading.fetch else (entries, 0.0)
    if reading.filter is not None:
        condition = reading.filter
        found = [json for json in found if holds(condition, item_from_json(json))]
    return PageOutput(
        len(found),
        len(entries),
        None if reading.count_only else _cut(reading.projection, found),
        last,
        _capacity(reading, size, fetched),
    )


def _count(session: Session, reading: Reading, stretch: Stretch) -> PageOutput:
    """A page of which only the number of its items is wanted: their sizes alone are read."""
    count, size, last = count_page(session.execute, stretch, MEGABYTE, reading.limit)
    key = None if last is None else _key(reading.target, last)
    return PageOutput(count, count, None, key, _capacity(reading, size, 0))


def _key(target: Table | Index, entry: bytes) -> Item:
    """What the next page begins after: the attributes that tell this entry from all others."""
    item = item_from_json(entry)
    return {attribute.name: item[attribute.name] for attribute in target.page_key}


def _cut(projection: Projection | None, items: list[bytes]) -> list[Raw]:
    if projection is None:
        return [Raw(json) for json in items]
    return [Raw(projected_json(projection, json)) for json in items]


def _fetch(session: Session, reading: Reading, entries: list[bytes]) -> tuple[list[bytes], float]:
    """The whole items behind a local index's entries, and what reading them costs."""
    table = reading.table
    items: list[bytes] = []
    units = 0.0
    for entry in entries:
        row = table.rows.get(session.execute, table.position(item_from_json(entry)))
        items.append(entry if row is None else row.json)
        if row is not None:
            units += read_units(row.size, consistent=reading.consistent)
    return items, units


def _capacity(reading: Reading, size: int, fetched: float) -> ConsumedCapacity | None:
    if reading.capacity is None:
        return None
    units = read_units(size, consistent=reading.consistent)
    cost = Cost(fetched)
    if reading.index is None:
        cost.table += units
    else:
        cost.add_index(reading.index.name, reading.index.is_global, units)
    return consumed(reading.table, cost, reading.capacity)
