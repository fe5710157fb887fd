"""Check and run GetItem."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import Raw

from singletable.engine.capacity import Cost, consumed, read_units
from singletable.engine.dialect import READ
from singletable.engine.keys import check_key
from singletable.engine.parameters import (
    GET,
    attributes_to_get,
    check_mixture,
    read_expressions,
)
from singletable.engine.projection import check_scalar_keys, projected_json
from singletable.engine.session import Session
from singletable.expressions import Projection
from singletable.operations import GetItem, ItemGot
from singletable.values import Item


@dataclass(frozen=True, slots=True)
class GetPlan:
    """A get whose key and projection are well formed."""

    request: GetItem
    key: Item
    projection: Projection | None


def check(request: GetItem) -> GetPlan:
    """Raise ValidationError unless the request could be carried out on some table."""
    check_mixture(request, GET)
    key, _ = READ.check_item(request.key)
    attributes = attributes_to_get(request.attributes_to_get)
    projection = read_expressions(request, READ).projection
    return GetPlan(request, key, attributes if projection is None else projection)


def run(plan: GetPlan, session: Session) -> ItemGot:
    """The item, or what was asked of it."""
    request = plan.request
    table = session.table(request.table_name)
    check_key(table, plan.key)
    if plan.projection is not None:
        check_scalar_keys(table, plan.projection)
    row = table.rows.get(session.execute, table.position(plan.key))
    units = read_units(0 if row is None else row.size, consistent=bool(request.consistent_read))
    capacity = consumed(table, Cost(units), request.return_consumed_capacity)
    if row is None:
        return ItemGot(None, capacity)
    json = row.json if plan.projection is None else projected_json(plan.projection, row.json)
    return ItemGot(Raw(json), capacity)
