"""Read one page of a query or scan: which attributes to return, and rows up to a limit or 1 MB."""

from __future__ import annotations

from functools import partial

from msgspec import Struct

from dynamodb_engine.engine.capacity import Cost, consumed_capacity, read_units
from dynamodb_engine.engine.catalog import Session, Unfinished
from dynamodb_engine.engine.request_expressions import project_all
from dynamodb_engine.engine.storage import RowRange, count_page
from dynamodb_engine.engine.table import Index, Table
from dynamodb_engine.engine.validation import ENVELOPE
from dynamodb_engine.errors import ValidationError
from dynamodb_engine.expressions import Condition, Projection, condition_paths, holds
from dynamodb_engine.operations import ConsumedCapacity, PageOutput, Query, Scan
from dynamodb_engine.values import INVALID, Item, item_from_json

MEGABYTE = 1024 * 1024


def check_select(request: Query | Scan) -> None:
    """Raise if Select and the projection contradict each other."""
    select = request.select
    # DynamoDB counts the validation errors of a Query only.
    prefix = ENVELOPE if isinstance(request, Query) else ""
    parameter = (
        "ProjectionExpression"
        if request.projection_expression is not None
        else "AttributesToGet"
        if request.attributes_to_get is not None
        else None
    )
    if parameter is not None and select not in (None, "SPECIFIC_ATTRIBUTES"):
        choice = "only the Count" if select == "COUNT" else select
        raise ValidationError(
            f"{prefix}Cannot specify the {parameter} when choosing to get {choice}"
        )
    if parameter is None and select == "SPECIFIC_ATTRIBUTES":
        raise ValidationError(
            f"{prefix}Must specify the AttributesToGet or ProjectionExpression when choosing to "
            "get SPECIFIC_ATTRIBUTES"
        )
    if select == "ALL_PROJECTED_ATTRIBUTES" and request.index_name is None:
        raise ValidationError(
            f"{prefix}ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName"
        )


def find_index(session: Session, table: Table, request: Query | Scan) -> Index | None:
    """Return the index of the request, or None; raise ValidationError if it cannot be read."""
    if request.index_name is None:
        return None
    for index in table.indexes:
        if index.name == request.index_name:
            break
    else:
        raise ValidationError(f"The table does not have the specified index: {request.index_name}")
    if index.is_global and request.consistent_read:
        raise ValidationError("Consistent reads are not supported on global secondary indexes")
    if index.record.created_by > session.control_time:
        raise ValidationError(
            f"Cannot read from backfilling global secondary index: {request.index_name}"
        )
    return index


def check_all_attributes(index: Index | None, request: Query | Scan) -> None:
    """Raise if ALL_ATTRIBUTES is requested of a global index that does not project all."""
    if index is None or not index.is_global or index.projected_attributes is None:
        return
    if request.select == "ALL_ATTRIBUTES":
        raise ValidationError(
            f"{INVALID}Select type ALL_ATTRIBUTES is not supported for global secondary index "
            f"{index.name} because its projection type is not ALL"
        )


def _needs_fetch(
    index: Index | None,
    request: Query | Scan,
    projection: Projection | None,
    condition: Condition | None,
) -> bool:
    """Return whether the items must be read from the table, because the index lacks attributes.

    Raise ValidationError where DynamoDB does not do that: for a global index or a filter.
    """
    if index is None or index.projected_attributes is None:
        return False
    missing = _unprojected(index, projection or ())
    if missing and index.is_global:
        raise ValidationError(
            f"{INVALID}Global secondary index {index.name} does not project [{', '.join(missing)}]"
        )
    if isinstance(request, Query):
        unknown = _unprojected(index, condition_paths(condition))
        if unknown:
            raise ValidationError(
                f"{INVALID}Secondary index {index.name} does not project one or more filter "
                f"attributes: [{', '.join(unknown)}]"
            )
    return bool(missing) or request.select == "ALL_ATTRIBUTES"


def _unprojected(index: Index, paths: Projection) -> list[str]:
    """Return the top-level attributes of the paths that the index does not have, in order."""
    heads = dict.fromkeys(str(path[0]) for path in paths)
    return [name for name in heads if name not in (index.projected_attributes or heads)]


class PageRequest(Struct, frozen=True):
    """What to return of the rows that a query or scan reads."""

    table: Table
    index: Index | None
    filter: Condition | None
    projection: Projection | None
    count_only: bool
    fetch: bool  # the index entry is not enough: read the item from the table
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
        projection: Projection | None,
    ) -> PageRequest:
        """Return what to read; raise ValidationError if the index does not have the attributes."""
        return cls(
            table,
            index,
            condition,
            projection,
            request.select == "COUNT",
            _needs_fetch(index, request, projection, condition),
            request.limit,
            bool(request.consistent_read),
            request.return_consumed_capacity,
        )

    @property
    def target(self) -> Table | Index:
        """Return the table or index to read."""
        return self.table if self.index is None else self.index

    @property
    def needs_sizes_only(self) -> bool:
        """Return whether the items themselves need not be read."""
        return self.count_only and self.filter is None


def read_page(
    session: Session, page: PageRequest, rows: RowRange
) -> PageOutput | Unfinished[PageOutput]:
    """Read rows up to the end of the page."""
    if page.needs_sizes_only:
        return _count_page(session, page, rows)
    entries, size, is_full = rows.read(session.execute, MEGABYTE, page.limit)
    last_key = _page_key(page.target, entries[-1]) if is_full else None
    items, fetch_units = _fetch(session, page, entries) if page.fetch else (entries, 0.0)
    capacity = _capacity(page, size, fetch_units)
    finish = partial(_finish_page, page, items, len(entries), last_key, capacity)
    if page.filter is None and page.projection is None:
        return finish()
    comparisons = 1 + len(condition_paths(page.filter))
    return Unfinished(finish, comparisons * sum(map(len, items)))


def _finish_page(
    page: PageRequest,
    items: list[bytes],
    scanned: int,
    last_key: Item | None,
    capacity: ConsumedCapacity | None,
) -> PageOutput:
    """Return the items that satisfy the filter, with the projected attributes."""
    if page.filter is not None:
        condition = page.filter
        items = [json for json in items if holds(condition, item_from_json(json))]
    projected = None if page.count_only else project_all(page.projection, items)
    return PageOutput(len(items), scanned, projected, last_key, capacity)


def _count_page(session: Session, page: PageRequest, rows: RowRange) -> PageOutput:
    """Return a page that has a count only: reading the sizes is enough."""
    count, size, last = count_page(session.execute, rows, MEGABYTE, page.limit)
    key = None if last is None else _page_key(page.target, last)
    return PageOutput(count, count, None, key, _capacity(page, size, 0))


def _page_key(target: Table | Index, entry: bytes) -> Item:
    """Return LastEvaluatedKey: the attributes that identify this entry."""
    item = item_from_json(entry)
    return {attribute.name: item[attribute.name] for attribute in target.page_key}


def _fetch(session: Session, page: PageRequest, entries: list[bytes]) -> tuple[list[bytes], float]:
    """Return the whole items of a local index's entries, and the units that reading them costs."""
    table = page.table
    items: list[bytes] = []
    units = 0.0
    places = [(table, table.row_key(item_from_json(entry))) for entry in entries]
    for entry, row in zip(entries, session.get_rows(places), strict=True):
        items.append(entry if row is None else row.json)
        if row is not None:
            units += read_units(row.size, consistent=page.consistent)
    return items, units


def _capacity(page: PageRequest, size: int, fetch_units: float) -> ConsumedCapacity | None:
    units = read_units(size, consistent=page.consistent)
    cost = Cost(fetch_units)
    if page.index is None:
        cost.table += units
    else:
        cost.add_index(page.index.name, page.index.is_global, units)
    return consumed_capacity(page.table, cost, page.capacity)
