"""Handle BatchExecuteStatement."""

from __future__ import annotations

from contextlib import suppress
from typing import TypeAlias, cast

from msgspec import Struct

from dynamodb_engine import operations as ops
from dynamodb_engine.engine.capacity import Cost, consumed_capacities, write_units
from dynamodb_engine.engine.catalog import Session
from dynamodb_engine.engine.handlers.execute_statement import execute_write
from dynamodb_engine.engine.item_write import load_item
from dynamodb_engine.engine.key_validation import encode_key
from dynamodb_engine.engine.partiql_select import find_source, get_item, key_of_select
from dynamodb_engine.engine.partiql_statements import bind_request, write_action, write_place
from dynamodb_engine.engine.storage import RowKey
from dynamodb_engine.engine.table import Table
from dynamodb_engine.errors import ConditionFailed, DuplicateItem, OperationError, ValidationError
from dynamodb_engine.partiql import Select, Write
from dynamodb_engine.values import Item

NAME = "BatchExecuteStatement"

Member: TypeAlias = Select | Write | OperationError
Costs: TypeAlias = dict[str, tuple[Table, Cost]]


class BatchPlan(Struct, frozen=True):
    """The statements of a batch, or their errors."""

    request: ops.BatchExecuteStatement
    members: list[Member]


def check(request: ops.BatchExecuteStatement) -> BatchPlan:
    """Raise ValidationError if the request is invalid for every table."""
    members = [_bind(part) for part in request.statements]
    reads = [member for member in members if isinstance(member, Select)]
    if reads and any(not isinstance(member, Select | OperationError) for member in members):
        raise ValidationError(
            "Read and write requests together in the same batch is not supported."
        )
    return BatchPlan(request, members)


def _bind(part: ops.BatchStatementRequest) -> Member:
    try:
        return bind_request(part)
    except OperationError as error:
        return error


def only_reads(plan: BatchPlan) -> bool:
    """Return whether no statement writes."""
    return all(isinstance(member, Select | OperationError) for member in plan.members)


def places(plan: BatchPlan, session: Session) -> list[tuple[Table, RowKey]]:
    """Return the places of the items that can be found."""
    found: list[tuple[Table, RowKey]] = []
    for member in plan.members:
        if isinstance(member, OperationError):
            continue
        with suppress(OperationError):
            table = session.table(member.table)
            if isinstance(member, Select):
                key = encode_key(table, key_of_select(table, member, NAME))
            else:
                key = write_place(table, member)
            found.append((table, key))
    return found


def run(plan: BatchPlan, session: Session) -> ops.BatchExecuteStatementOutput:
    """Execute each statement; the errors of one do not affect the others."""
    named = [(t.name, key) for t, key in places(plan, session)]
    if len(set(named)) < len(named):
        raise ValidationError("Provided list of item keys contains duplicates")
    costs: Costs = {}
    responses = [
        _execute(member, part, session, costs)
        for member, part in zip(plan.members, plan.request.statements, strict=True)
    ]
    # A table on which every statement failed is not listed.
    listed = [(table, cost) for table, cost in costs.values() if cost.table]
    detail = plan.request.return_consumed_capacity
    return ops.BatchExecuteStatementOutput(responses, consumed_capacities(listed, detail))


def _execute(
    member: Member, part: ops.BatchStatementRequest, session: Session, costs: Costs
) -> ops.BatchStatementResponse:
    table: Table | None = None
    try:
        if isinstance(member, OperationError):
            raise member
        table = session.table(member.table)
        if isinstance(member, Select):
            find_source(member, session, consistent=False)
            key = key_of_select(table, member, NAME)
            consistent = bool(part.consistent_read)
            item, cost = get_item(member, session, table, key, consistent=consistent)
        else:
            return_old = part.return_values_on_condition_check_failure
            cost, item = execute_write(member, session, table, return_old)
        costs.setdefault(table.name, (table, Cost()))[1].add(cost)
        return ops.BatchStatementResponse(table_name=table.name, raw_item=item)
    except OperationError as error:
        has_run = isinstance(error, ConditionFailed | DuplicateItem)
        if table is not None and has_run and not isinstance(member, Select | OperationError):
            action = write_action(table, member)
            size = max(action.size, load_item(session, table, action.row_key(table)).size)
            costs.setdefault(table.name, (table, Cost()))[1].failed += write_units(size)
        failed = cast("Item | None", error.item) if isinstance(error, ConditionFailed) else None
        return ops.BatchStatementResponse(
            ops.BatchStatementError(_code(error), error.message, failed),
            table.name if table is not None and has_run else None,
        )


def _code(error: OperationError) -> str:
    """Return the code in a batch, which is that of a single statement without its suffix."""
    if isinstance(error, ValidationError):
        return "ValidationError"
    return error.code.removesuffix("Exception")
