"""Check and run TransactGetItems."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import Raw

from singletable.engine.cancellation import TWICE, canceled_at
from singletable.engine.capacity import Cost, consumed, read_units
from singletable.engine.dialect import TRANSACTION
from singletable.engine.keys import EmptyKey, key_position
from singletable.engine.projection import check_scalar_keys, projected_json
from singletable.engine.reading import read_expressions
from singletable.engine.session import Session
from singletable.engine.storage import Position, Row
from singletable.engine.table import Table
from singletable.errors import ValidationError
from singletable.expressions import Projection
from singletable.operations import Get, ItemResponse, TransactGetItems, TransactGetItemsOutput
from singletable.values import Item

DIALECT = TRANSACTION


@dataclass(frozen=True, slots=True)
class TransactGetPlan:
    """A transaction whose keys and projections are well formed."""

    request: TransactGetItems
    gets: list[tuple[Get, Item, Projection | None]]


def check(request: TransactGetItems) -> TransactGetPlan:
    """Raise ValidationError unless the gets could be carried out on some tables."""
    gets: list[tuple[Get, Item, Projection | None]] = []
    for one in request.transact_items:
        projection = read_expressions(one.get, TRANSACTION).projection
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
    told = [consumed(table, cost, asked, "read") for table, cost in costs.values()]
    return TransactGetItemsOutput(responses, [one for one in told if one is not None] or None)


def _json(row: Row | None, projection: Projection | None) -> Raw | None:
    """The item, or what was asked of it; a transaction tells nothing where a get tells `{}`."""
    if row is None:
        return None
    json = row.json if projection is None else projected_json(projection, row.json)
    return None if json == b"{}" else Raw(json)


def _positions(plan: TransactGetPlan, tables: list[Table]) -> list[Position]:
    """Where the items are; TransactionCanceled if a key does not fit its table."""
    positions: list[tuple[str, Position]] = []
    for place, ((_, key, projection), table) in enumerate(zip(plan.gets, tables, strict=True)):
        try:
            position = key_position(table, key)
            check_scalar_keys(table, projection or ())
        except EmptyKey:
            raise
        except ValidationError as error:
            raise canceled_at(place, len(plan.gets), error) from None
        positions.append((table.name, position))
    if len(set(positions)) < len(positions):
        raise ValidationError(TWICE)
    return [position for _, position in positions]
