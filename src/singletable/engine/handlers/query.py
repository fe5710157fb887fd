"""Check and run Query."""

from __future__ import annotations

from msgspec import Struct

from singletable.engine.catalog import Session
from singletable.engine.key_validation import check_scalar_keys
from singletable.engine.legacy import parse_filter, parse_key_conditions
from singletable.engine.query_execution import (
    PageRequest,
    check_all_attributes,
    check_select,
    find_index,
    read_page,
    resolve_selection,
)
from singletable.engine.query_range import (
    check_start_in_range,
    check_start_key,
    check_start_key_size,
    encode_start_key,
    resolve_key_range,
)
from singletable.engine.request_expressions import (
    QUERY,
    QUERY_BY_KEY_CONDITIONS,
    attributes_to_get,
    check_parameters,
    parse_expressions,
)
from singletable.engine.table import Index, Table
from singletable.engine.validation import READ
from singletable.errors import ValidationError
from singletable.expressions import Condition, KeyCondition, Projection, condition_paths
from singletable.operations import PageOutput, Query
from singletable.values import Item


class QueryPlan(Struct, frozen=True):
    """A query whose conditions, projection and start are well formed."""

    request: Query
    key_condition: KeyCondition
    filter: Condition | None
    projection: Projection | None
    start: Item | None


def check(request: Query) -> QueryPlan:
    """Raise ValidationError unless the request could be carried out on some table."""
    by_conditions = request.key_conditions is not None and request.key_condition_expression is None
    check_parameters(request, QUERY_BY_KEY_CONDITIONS if by_conditions else QUERY)
    legacy_filter = parse_filter(request.query_filter, request.conditional_operator, READ)
    attributes = attributes_to_get(request.attributes_to_get)
    start = check_start_key(request.exclusive_start_key, READ)
    if request.key_conditions is None and request.key_condition_expression is None:
        raise ValidationError(
            "Either the KeyConditions or KeyConditionExpression parameter must be specified in the "
            "request."
        )
    check_select(request)
    read = parse_expressions(request, READ)
    condition = read.key_condition
    if condition is None:
        condition = parse_key_conditions(request.key_conditions or {}, READ)
    projection = attributes if read.projection is None else read.projection
    return QueryPlan(request, condition, read.filter or legacy_filter, projection, start)


def run(plan: QueryPlan, session: Session) -> PageOutput:
    """The items of one partition that the condition asks for, in the order of their sort key."""
    request = plan.request
    table = session.table(request.table_name)
    index = find_index(session, table, request)
    target: Table | Index = table if index is None else index
    if plan.start is not None:
        check_start_key_size(target, plan.start)
    span = resolve_key_range(target, plan.key_condition, plan.start)
    start = None if plan.start is None else encode_start_key(table, target, plan.start)
    if start is not None:
        check_start_in_range(
            start, span, ranged=len(plan.key_condition) > len(target.key.partition)
        )
    if plan.projection is not None:
        check_scalar_keys(table, plan.projection)
    if plan.filter is not None:
        _check_filter(target, plan.filter, request)
    check_all_attributes(index, request)
    if plan.filter is not None:
        check_scalar_keys(table, condition_paths(plan.filter))
    selection = resolve_selection(index, request, plan.projection, plan.filter)
    reading = PageRequest.from_request(request, table, index, plan.filter, selection)
    after = None if start is None else start.sort
    forward = request.scan_index_forward is not False
    return read_page(session, reading, target.rows.partition_range(span, after, forward=forward))


def _check_filter(target: Table | Index, condition: Condition, request: Query) -> None:
    """Raise if the filter looks at the key that the query goes by."""
    heads = {path[0] for path in condition_paths(condition)}
    for name in target.key.names:
        if name in heads:
            what = "QueryFilter" if request.query_filter else "Filter Expression"
            raise ValidationError(
                f"{what} can only contain non-primary key attributes: Primary key attribute: {name}"
            )
