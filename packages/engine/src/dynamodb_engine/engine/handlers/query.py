"""Handle Query."""

from __future__ import annotations

from msgspec import Struct

from dynamodb_engine.engine.catalog import Session, Unfinished
from dynamodb_engine.engine.key_validation import check_scalar_keys
from dynamodb_engine.engine.legacy_parameters import (
    parse_attributes_to_get,
    parse_filter,
    parse_key_conditions,
)
from dynamodb_engine.engine.query_execution import (
    PageRequest,
    check_all_attributes,
    check_select,
    find_index,
    read_page,
)
from dynamodb_engine.engine.query_range import (
    check_start_in_range,
    check_start_key,
    check_start_key_size,
    encode_start_key,
    resolve_key_range,
)
from dynamodb_engine.engine.request_expressions import (
    KEY_CONDITIONS_PARAMETERS,
    QUERY_PARAMETERS,
    check_parameters,
    parse_expressions,
)
from dynamodb_engine.engine.table import Index, Table
from dynamodb_engine.engine.validation import READ
from dynamodb_engine.errors import ValidationError
from dynamodb_engine.expressions import Condition, KeyCondition, Projection, condition_paths
from dynamodb_engine.operations import PageOutput, Query
from dynamodb_engine.values import Item


class QueryPlan(Struct, frozen=True):
    """A query with validated conditions, projection and start key."""

    request: Query
    key_condition: KeyCondition
    filter: Condition | None
    projection: Projection | None
    start: Item | None


def check(request: Query) -> QueryPlan:
    """Raise ValidationError if the request is invalid for every table."""
    is_legacy = request.key_conditions is not None and request.key_condition_expression is None
    check_parameters(request, KEY_CONDITIONS_PARAMETERS if is_legacy else QUERY_PARAMETERS)
    legacy_filter = parse_filter(request.query_filter, request.conditional_operator, READ)
    attributes = parse_attributes_to_get(request.attributes_to_get)
    start = check_start_key(request.exclusive_start_key, READ)
    if request.key_conditions is None and request.key_condition_expression is None:
        raise ValidationError(
            "Either the KeyConditions or KeyConditionExpression parameter must be specified in the "
            "request."
        )
    check_select(request)
    expressions = parse_expressions(request, READ)
    condition = expressions.key_condition
    if condition is None:
        condition = parse_key_conditions(request.key_conditions or {}, READ)
    projection = attributes if expressions.projection is None else expressions.projection
    return QueryPlan(request, condition, expressions.filter or legacy_filter, projection, start)


def run(plan: QueryPlan, session: Session) -> PageOutput | Unfinished[PageOutput]:
    """Return a page of the items of one partition that satisfy the condition, by sort key."""
    request = plan.request
    table = session.table(request.table_name)
    index = find_index(session, table, request)
    target: Table | Index = table if index is None else index
    if plan.start is not None:
        check_start_key_size(target, plan.start)
    keys = resolve_key_range(target, plan.key_condition, plan.start)
    start = None if plan.start is None else encode_start_key(table, target, plan.start)
    if start is not None:
        has_sort_clause = len(plan.key_condition) > len(target.key.partition)
        check_start_in_range(start, keys, has_sort_clause=has_sort_clause)
    check_scalar_keys(table, plan.projection or ())
    paths = condition_paths(plan.filter)
    _check_filter(target, paths, request)
    check_all_attributes(index, request)
    check_scalar_keys(table, paths)
    page = PageRequest.from_request(request, table, index, plan.filter, plan.projection)
    after = None if start is None else start.sort
    forward = request.scan_index_forward is not False
    return read_page(session, page, target.rows.partition_range(keys, after, forward=forward))


def _check_filter(target: Table | Index, paths: Projection, request: Query) -> None:
    """Raise if the paths of the filter use an attribute of the key."""
    heads = {path[0] for path in paths}
    for name in target.key.names:
        if name in heads:
            parameter = "QueryFilter" if request.query_filter else "Filter Expression"
            raise ValidationError(
                f"{parameter} can only contain non-primary key attributes: "
                f"Primary key attribute: {name}"
            )
