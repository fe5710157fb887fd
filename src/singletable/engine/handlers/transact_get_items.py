"""Check and run TransactGetItems."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import Raw

from singletable.engine.capacity import Cost, consumed_capacity, read_units
from singletable.engine.catalog import Session
from singletable.engine.key_validation import (
    EmptyKey,
    check_scalar_keys,
    encode_key,
    projected_json,
)
from singletable.engine.request_expressions import parse_expressions
from singletable.engine.storage import Row, RowKey
from singletable.engine.table import Table
from singletable.engine.transactions import DUPLICATE_ITEM, canceled_at
from singletable.engine.validation import TRANSACTION
from singletable.errors import ValidationError
from singletable.expressions import Projection
from singletable.operations import Get, ItemResponse, TransactGetItems, TransactGetItemsOutput
from singletable.values import Item

VALIDATOR = TRANSACTION


@dataclass(frozen=True, slots=True)
class TransactGetPlan:
    """A transaction whose keys and projections are well formed."""

    request: TransactGetItems
    gets: list[tuple[Get, Item, Projection | None]]


def check(request: TransactGetItems) -> TransactGetPlan:
    """Raise ValidationError unless the gets could be carried out on some tables."""
    gets: list[tuple[Get, Item, Projection | None]] = []
    for one in request.transact_items:
        projection = parse_expressions(one.get, TRANSACTION).projection
        gets.append((one.get, TRANSACTION.check_item(one.get.key)[0], projection))
    return TransactGetPlan(request, gets)


def run(plan: TransactGetPlan, session: Session) -> TransactGetItemsOutput:
    """All items as they stood at one moment, in the order they were asked for."""
    tables = [session.table(get.table_name) for get, _, _ in plan.gets]
    positions = _positions(plan, tables)
    costs: dict[str, tuple[Table, Cost]] = {}
    responses: list[ItemResponse] = []
    for (_, _, projection), table, position in zip(plan.gets, tables, positions, strict=True):
        row = table.rows.get(session.execute, position)
        _, cost = costs.setdefault(table.name, (table, Cost()))
        cost.table += 2 * read_units(0 if row is None else row.size, consistent=True)
        responses.append(ItemResponse(_json(row, projection)))
    asked = plan.request.return_consumed_capacity
    told = [consumed_capacity(table, cost, asked, "read") for table, cost in costs.values()]
    return TransactGetItemsOutput(responses, [one for one in told if one is not None] or None)


def _json(row: Row | None, projection: Projection | None) -> Raw | None:
    """The item, or what was asked of it; a transaction tells nothing where a get tells `{}`."""
    if row is None:
        return None
    json = row.json if projection is None else projected_json(projection, row.json)
    return None if json == b"{}" else Raw(json)


def _positions(plan: TransactGetPlan, tables: list[Table]) -> list[RowKey]:
    """Where the items are; TransactionCanceled if a key does not fit its table."""
    positions: list[tuple[str, RowKey]] = []
    for place, ((_, key, projection), table) in enumerate(zip(plan.gets, tables, strict=True)):
        try:
            position = encode_key(table, key)
            check_scalar_keys(table, projection or ())
        except EmptyKey:
            raise
        except ValidationError as error:
            raise canceled_at(place, len(plan.gets), error) from None
        positions.append((table.name, position))
    if len(set(positions)) < len(positions):
        raise ValidationError(DUPLICATE_ITEM)
    return [position for _, position in positions]
