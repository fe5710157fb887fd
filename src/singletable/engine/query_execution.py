"""What a query or scan gives of each item: Select, projections, and what an index holds."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import Raw, Struct

from singletable.engine.capacity import Cost, consumed_capacity, read_units
from singletable.engine.catalog import Session
from singletable.engine.key_validation import projected_json
from singletable.engine.storage import RowRange, count_page
from singletable.engine.table import Index, Table
from singletable.engine.validation import ENVELOPE
from singletable.errors import ValidationError
from singletable.expressions import Condition, Projection, condition_paths, holds
from singletable.operations import ConsumedCapacity, PageOutput, Query, Scan
from singletable.values import INVALID, Item, item_from_json


def check_select(request: Query | Scan) -> None:
    """Raise if Select and the projection contradict each other."""
    select = request.select
    given = (
        "ProjectionExpression"
        if request.projection_expression is not None
        else "AttributesToGet"
        if request.attributes_to_get is not None
        else None
    )
    if given is not None and select not in (None, "SPECIFIC_ATTRIBUTES"):
        what = "only the Count" if select == "COUNT" else select
        raise ValidationError(f"{ENVELOPE}Cannot specify the {given} when choosing to get {what}")
    if given is None and select == "SPECIFIC_ATTRIBUTES":
        raise ValidationError(
            f"{ENVELOPE}Must specify the AttributesToGet or ProjectionExpression when choosing to "
            "get SPECIFIC_ATTRIBUTES"
        )
    if select == "ALL_PROJECTED_ATTRIBUTES" and request.index_name is None:
        raise ValidationError(
            f"{ENVELOPE}ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName"
        )


def find_index(session: Session, table: Table, request: Query | Scan) -> Index | None:
    """The index that the request names; ValidationError if it cannot be read so."""
    if request.index_name is None:
        return None
    for index in table.indexes:
        if index.name == request.index_name:
            break
    else:
        raise ValidationError(f"The table does not have the specified index: {request.index_name}")
    if index.is_global and request.consistent_read:
        raise ValidationError("Consistent reads are not supported on global secondary indexes")
    if index.record.created_by > session.now:
        raise ValidationError(
            f"Cannot read from backfilling global secondary index: {request.index_name}"
        )
    return index


@dataclass(frozen=True, slots=True)
class AttributeSelection:
    """What is given of each item."""

    projection: Projection | None
    fetch: bool


def check_all_attributes(index: Index | None, request: Query | Scan) -> None:
    """Raise if everything is asked of a global index that does not hold everything."""
    if index is None or not index.is_global or index.projected_attributes is None:
        return
    if request.select == "ALL_ATTRIBUTES":
        raise ValidationError(
            f"{INVALID}Select type ALL_ATTRIBUTES is not supported for global secondary index "
            f"{index.name} because its projection type is not ALL"
        )


def resolve_selection(
    index: Index | None,
    request: Query | Scan,
    projection: Projection | None,
    condition: Condition | None,
) -> AttributeSelection:
    """What is given of each item; ValidationError if the index does not hold it."""
    if index is None or index.projected_attributes is None:
        return AttributeSelection(projection, fetch=False)
    missing = _unprojected(index, projection or ())
    if missing and index.is_global:
        raise ValidationError(
            f"{INVALID}Global secondary index {index.name} does not project [{', '.join(missing)}]"
        )
    if isinstance(request, Query) and condition is not None:
        unknown = _unprojected(index, condition_paths(condition))
        if unknown:
            raise ValidationError(
                f"{INVALID}Secondary index {index.name} does not project one or more filter "
                f"attributes: [{', '.join(unknown)}]"
            )
    return AttributeSelection(projection, fetch=bool(missing) or request.select == "ALL_ATTRIBUTES")


def _unprojected(index: Index, paths: Projection) -> list[str]:
    """The top-level attributes of the paths that the index does not hold, in order."""
    heads = dict.fromkeys(str(path[0]) for path in paths)
    return [name for name in heads if name not in (index.projected_attributes or heads)]


# FROM page.py: One page of a query or scan: rows in order until a limit, a megabyte or the end.

MEGABYTE = 1024 * 1024


class PageRequest(Struct, frozen=True):
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
    def from_request(
        cls,
        request: Query | Scan,
        table: Table,
        index: Index | None,
        condition: Condition | None,
        selection: AttributeSelection,
    ) -> PageRequest:
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


def read_page(session: Session, reading: PageRequest, stretch: RowRange) -> PageOutput:
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


def _count(session: Session, reading: PageRequest, stretch: RowRange) -> PageOutput:
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


def _fetch(
    session: Session, reading: PageRequest, entries: list[bytes]
) -> tuple[list[bytes], float]:
    """The whole items behind a local index's entries, and what reading them costs."""
    table = reading.table
    items: list[bytes] = []
    units = 0.0
    for entry in entries:
        row = table.rows.get(session.execute, table.row_key(item_from_json(entry)))
        items.append(entry if row is None else row.json)
        if row is not None:
            units += read_units(row.size, consistent=reading.consistent)
    return items, units


def _capacity(reading: PageRequest, size: int, fetched: float) -> ConsumedCapacity | None:
    if reading.capacity is None:
        return None
    units = read_units(size, consistent=reading.consistent)
    cost = Cost(fetched)
    if reading.index is None:
        cost.table += units
    else:
        cost.add_index(reading.index.name, reading.index.is_global, units)
    return consumed_capacity(reading.table, cost, reading.capacity)
