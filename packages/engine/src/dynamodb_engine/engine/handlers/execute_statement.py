"""Handle ExecuteStatement, with the writes that it shares with BatchExecuteStatement."""

from __future__ import annotations

from msgspec import Raw, Struct

from dynamodb_engine import operations as ops
from dynamodb_engine.engine.capacity import Cost, consumed_capacity
from dynamodb_engine.engine.catalog import Session, Unfinished
from dynamodb_engine.engine.handlers.update_item import returned_attributes
from dynamodb_engine.engine.item_write import check_condition, load_item
from dynamodb_engine.engine.partiql_select import execute_select
from dynamodb_engine.engine.partiql_statements import (
    bind_request,
    check_insert,
    write_action,
    write_place,
)
from dynamodb_engine.engine.storage import RowKey
from dynamodb_engine.engine.table import Table
from dynamodb_engine.engine.transactions import apply_action, resulting_item
from dynamodb_engine.errors import ConditionFailed, DuplicateItem
from dynamodb_engine.partiql import Insert, Select, Write
from dynamodb_engine.values import item_to_json

DUPLICATE = "Duplicate primary key exists in table"


class StatementPlan(Struct, frozen=True):
    """A statement that is valid for some table."""

    request: ops.ExecuteStatement
    statement: Select | Write


def check(request: ops.ExecuteStatement) -> StatementPlan:
    """Raise ValidationError if the request is invalid for every table."""
    return StatementPlan(request, bind_request(request))


def only_reads(plan: StatementPlan) -> bool:
    """Return whether the statement is a SELECT."""
    return isinstance(plan.statement, Select)


def places(plan: StatementPlan, session: Session) -> list[tuple[Table, RowKey]]:
    """Return the place of the item."""
    if isinstance(plan.statement, Select):
        return []
    table = session.table(plan.statement.table)
    return [(table, write_place(table, plan.statement))]


def run(
    plan: StatementPlan, session: Session
) -> ops.ExecuteStatementOutput | Unfinished[ops.ExecuteStatementOutput]:
    """Read a page of items, or write one item."""
    request, statement = plan.request, plan.statement
    if isinstance(statement, Select):
        return execute_select(statement, request, session)
    table = session.table(statement.table)
    return_old = request.return_values_on_condition_check_failure
    cost, returned = execute_write(statement, session, table, return_old)
    consumed = consumed_capacity(table, cost, request.return_consumed_capacity)
    return ops.ExecuteStatementOutput([returned] if returned else [], consumed_capacity=consumed)


def execute_write(
    statement: Write, session: Session, table: Table, return_old: ops.ReturnOnFailure | None = None
) -> tuple[Cost, Raw | None]:
    """Write one item; return the cost, and the attributes that RETURNING requests."""
    if isinstance(statement, Insert):
        check_insert(table, statement.item)
    action = write_action(table, statement, return_old)
    old = load_item(session, table, action.row_key(table))
    try:
        check_condition(action.condition, old, return_old)
    except ConditionFailed:
        if isinstance(statement, Insert):
            raise DuplicateItem(DUPLICATE) from None
        raise
    new = resulting_item(action, old)
    cost = apply_action(session, action, old, new)
    if isinstance(statement, Insert) or statement.returning is None:
        return cost, None
    new_item = None if new is None else new.item
    returned = returned_attributes(statement.returning, action.update, old.item, new_item)
    return cost, Raw(item_to_json(returned)) if returned else None
