"""Handle ExecuteStatement, with the writes that it shares with BatchExecuteStatement."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from singletable import operations as ops
from singletable.engine.catalog import Session, Unfinished
from singletable.engine.handlers import delete_item, put_item, update_item
from singletable.engine.item_update import TOO_LARGE
from singletable.engine.partiql_select import execute_select
from singletable.engine.partiql_statements import (
    bind_request,
    check_insert,
    inserted_item,
    statement_key,
    write_condition,
    write_place,
)
from singletable.engine.storage import RowKey
from singletable.engine.table import Table
from singletable.errors import ConditionFailed, DuplicateItem, ValidationError
from singletable.expressions import update_cost
from singletable.partiql import Delete, Exists, Insert, Select, Update
from singletable.values import MAX_ITEM_SIZE

Write: TypeAlias = Insert | Update | Delete
ONLY_IN_TRANSACTION = "EXISTS can only be used in ExecuteTransaction write requests."
DUPLICATE = "Duplicate primary key exists in table"


class StatementPlan(Struct, frozen=True):
    """A statement that is valid for some table."""

    request: ops.ExecuteStatement
    statement: Select | Write


def check(request: ops.ExecuteStatement) -> StatementPlan:
    """Raise ValidationError if the request is invalid for every table."""
    statement = bind_request(request)
    if isinstance(statement, Exists):
        raise ValidationError(ONLY_IN_TRANSACTION)
    return StatementPlan(request, statement)


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
    output = execute_write(
        statement,
        session,
        request.return_consumed_capacity,
        request.return_values_on_condition_check_failure,
    )
    returned = [] if output.raw_attributes is None else [output.raw_attributes]
    return ops.ExecuteStatementOutput(returned, consumed_capacity=output.consumed_capacity)


def execute_write(
    statement: Write,
    session: Session,
    capacity: ops.ReturnConsumedCapacity | None,
    return_old: ops.ReturnOnFailure | None = None,
) -> ops.WriteItemOutput:
    """Write one item; the attributes of the output are those that RETURNING requests."""
    table = session.table(statement.table)
    if isinstance(statement, Insert):
        return _insert(table, statement, session, capacity)
    key, others = statement_key(table, statement)
    condition = write_condition(table, statement, others)
    if isinstance(statement, Delete):
        delete = ops.DeleteItem(
            table.name,
            key,
            return_values=statement.returning,
            return_consumed_capacity=capacity,
            return_values_on_condition_check_failure=return_old,
        )
        return delete_item.run(delete_item.DeletePlan(delete, key, condition), session)
    if update_cost(statement.actions) > MAX_ITEM_SIZE:
        raise ValidationError(TOO_LARGE)
    update = ops.UpdateItem(
        table.name,
        key,
        return_values=statement.returning,
        return_consumed_capacity=capacity,
        return_values_on_condition_check_failure=return_old,
    )
    plan = update_item.UpdatePlan(update, key, statement.actions, condition)
    return update_item.run(plan, session)


def _insert(
    table: Table, statement: Insert, session: Session, capacity: ops.ReturnConsumedCapacity | None
) -> ops.WriteItemOutput:
    item, size = inserted_item(statement)
    check_insert(table, item)
    request = ops.PutItem(table.name, item, return_consumed_capacity=capacity)
    plan = put_item.PutPlan(request, item, size, write_condition(table, statement))
    try:
        return put_item.run(plan, session)
    except ConditionFailed:
        raise DuplicateItem(DUPLICATE) from None
