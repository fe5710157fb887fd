"""Handle GetItem."""

from __future__ import annotations

from msgspec import Raw, Struct

from dynamodb_engine.engine.capacity import Cost, consumed_capacity, read_units
from dynamodb_engine.engine.catalog import Session
from dynamodb_engine.engine.key_validation import check_scalar_keys, encode_key
from dynamodb_engine.engine.legacy_parameters import parse_attributes_to_get
from dynamodb_engine.engine.request_expressions import (
    GET_PARAMETERS,
    check_parameters,
    parse_expressions,
    project_json,
)
from dynamodb_engine.engine.validation import READ
from dynamodb_engine.expressions import Projection
from dynamodb_engine.operations import GetItem, GetItemOutput
from dynamodb_engine.values import Item

ONE_STATEMENT = True


class GetPlan(Struct, frozen=True):
    """A get with validated key and projection."""

    request: GetItem
    key: Item
    projection: Projection | None


def check(request: GetItem) -> GetPlan:
    """Raise ValidationError if the request is invalid for every table."""
    if _gets_whole_item(request):
        return GetPlan(request, READ.check_item(request.key)[0], None)
    check_parameters(request, GET_PARAMETERS)
    key, _ = READ.check_item(request.key)
    attributes = parse_attributes_to_get(request.attributes_to_get)
    projection = parse_expressions(request, READ).projection
    return GetPlan(request, key, attributes if projection is None else projection)


def _gets_whole_item(request: GetItem) -> bool:
    return (
        request.projection_expression is None
        and request.attributes_to_get is None
        and request.expression_attribute_names is None
    )


def run(plan: GetPlan, session: Session) -> GetItemOutput:
    """Return the item, or its projected attributes."""
    request = plan.request
    table = session.table(request.table_name)
    key = encode_key(table, plan.key)
    if plan.projection is not None:
        check_scalar_keys(table, plan.projection)
    row = table.rows.get(session.execute, key)
    json = None if row is None else row.json
    if json is not None and plan.projection is not None:
        json = project_json(plan.projection, json)
    item = None if json is None else Raw(json)
    if request.return_consumed_capacity is None:
        return GetItemOutput(item)
    units = read_units(0 if row is None else row.size, consistent=bool(request.consistent_read))
    return GetItemOutput(
        item, consumed_capacity(table, Cost(units), request.return_consumed_capacity)
    )
