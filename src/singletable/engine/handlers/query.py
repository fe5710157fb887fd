"""Check and run Query."""

from __future__ import annotations

from msgspec import Struct

from singletable.engine.dialect import READ
from singletable.engine.legacy import filter_condition, key_conditions
from singletable.engine.page import Reading, read_page
from singletable.engine.parameters import (
    QUERY,
    QUERY_BY_KEY_CONDITIONS,
    attributes_to_get,
    check_mixture,
)
from singletable.engine.projection import check_scalar_keys
from singletable.engine.reading import read_expressions
from singletable.engine.select import check_all_attributes, check_select, index_named, select_from
from singletable.engine.session import Session
from singletable.engine.span import span_of
from singletable.engine.start_key import (
    check_in_span,
    check_start_size,
    checked_start,
    start_position,
)
from singletable.engine.table import Index, Table
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
    check_mixture(request, QUERY_BY_KEY_CONDITIONS if by_conditions else QUERY)
    legacy_filter = filter_condition(request.query_filter, request.conditional_operator, READ)
    attributes = attributes_to_get(request.attributes_to_get)
    start = checked_start(request.exclusive_start_key, READ)
    if request.key_conditions is None and request.key_condition_expression is None:
        raise ValidationError(
            "Either the KeyConditions or KeyConditionExpression parameter must be specified in the "
            "request."
        )
    check_select(request)
    read = read_expressions(request, READ)
    condition = read.key_condition
    if condition is None:
        condition = key_conditions(request.key_conditions or {}, READ)
    projection = attributes if read.projection is None else read.projection
    return QueryPlan(request, condition, read.filter or legacy_filter, projection, start)


def run(plan: QueryPlan, session: Session) -> PageOutput:
    """The items of one partition that the condition asks for, in the order of their sort key."""
    request = plan.request
    table = session.table(request.table_name)
    index = index_named(session, table, request)
    target: Table | Index = table if index is None else index
    if plan.start is not None:
        check_start_size(target, plan.start)
    span = span_of(target, plan.key_condition, plan.start)
    start = None if plan.start is None else start_position(table, target, plan.start)
    if start is not None:
        check_in_span(start, span, ranged=len(plan.key_condition) > len(target.key.partition))
    if plan.projection is not None:
        check_scalar_keys(table, plan.projection)
    if plan.filter is not None:
        _check_filter(target, plan.filter, request)
    check_all_attributes(index, request)
    if plan.filter is not None:
        check_scalar_keys(table, condition_paths(plan.filter))
    selection = select_from(index, request, plan.projection, plan.filter)
    reading = Reading.of(request, table, index, plan.filter, selection)
    after = None if start is None else start.sort
    forward = request.scan_index_forward is not False
    return read_page(session, reading, target.rows.between(span, after, forward=forward))


def _check_filter(target: Table | Index, condition: Condition, request: Query) -> None:
    """Raise if the filter looks at the key that the query goes by."""
    heads = {path[0] for path in condition_paths(condition)}
    for name in target.key.names:
        if name in heads:
            what = "QueryFilter" if request.query_filter else "Filter Expression"
            raise ValidationError(
                f"{what} can only contain non-primary key attributes: Primary key attribute: {name}"
            )
