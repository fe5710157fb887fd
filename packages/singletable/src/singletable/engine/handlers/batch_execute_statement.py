"""Handle BatchExecuteStatement."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from msgspec import Struct

from singletable import operations as ops
from singletable.engine.capacity import (
    Cost,
    consumed_capacities,
    cost_of,
    write_units,
)
from singletable.engine.catalog import Session
from singletable.engine.handlers.execute_statement import (
    ONLY_IN_TRANSACTION,
    Write,
    execute_write,
)
from singletable.engine.item_write import load_item
from singletable.engine.key_validation import encode_key
from singletable.engine.partiql_select import find_source, get_item, key_of_select
from singletable.engine.partiql_statements import bind_request, write_place
from singletable.engine.storage import RowKey
from singletable.engine.table import Table
from singletable.errors import (
    ConditionFailed,
    DuplicateItem,
    OperationError,
    ResourceNotFound,
    ValidationError,
)
from singletable.partiql import Exists, Select

NEEDS_KEY = (
    "Select statements within BatchExecuteStatement must specify the primary key in the where "
    "clause."
)
# The codes of a batch are those of single statements without their suffix.
SUFFIX = "Exception"

Member: TypeAlias = "Select | Write | OperationError"


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
        statement = bind_request(part)
    except OperationError as error:
        return error
    return ValidationError(ONLY_IN_TRANSACTION) if isinstance(statement, Exists) else statement


def only_reads(plan: BatchPlan) -> bool:
    """Return whether no statement writes."""
    return all(isinstance(member, Select | OperationError) for member in plan.members)


def places(plan: BatchPlan, session: Session) -> list[tuple[Table, RowKey]]:
    """Return the places of the items that can be found."""
    return [place for place in _targets(plan, session) if place is not None]


def _targets(plan: BatchPlan, session: Session) -> Iterator[tuple[Table, RowKey] | None]:
    """Yield the place of each member, or None if it does not name an item."""
    for member in plan.members:
        try:
            if isinstance(member, OperationError):
                yield None
                continue
            table = session.table(member.table)
            if isinstance(member, Select):
                key = key_of_select(table, member)
                yield None if key is None else (table, encode_key(table, key))
            else:
                yield table, write_place(table, member)
        except OperationError:
            yield None


def run(plan: BatchPlan, session: Session) -> ops.BatchExecuteStatementOutput:
    """Execute each statement; the errors of one do not affect the others."""
    named = [(t.name, key) for t, key in places(plan, session)]
    if len(set(named)) < len(named):
        raise ValidationError("Provided list of item keys contains duplicates")
    costs: dict[str, tuple[Table, Cost]] = {}
    responses = [
        _execute(member, part, session, costs)
        for member, part in zip(plan.members, plan.request.statements, strict=True)
    ]
    detail = plan.request.return_consumed_capacity
    return ops.BatchExecuteStatementOutput(responses, consumed_capacities(costs.values(), detail))


def _execute(
    member: Member,
    part: ops.BatchStatementRequest,
    session: Session,
    costs: dict[str, tuple[Table, Cost]],
) -> ops.BatchStatementResponse:
    table: Table | None = None
    try:
        if isinstance(member, OperationError):
            raise member
        table = session.table(member.table)
        if isinstance(member, Select):
            return _read(member, part, session, costs)
        output = execute_write(member, session, "INDEXES")
        cost = cost_of(output.consumed_capacity)
        costs.setdefault(table.name, (table, Cost()))[1].add(cost)
        return ops.BatchStatementResponse(table_name=table.name, raw_item=output.raw_attributes)
    except OperationError as error:
        has_run = isinstance(error, ConditionFailed | DuplicateItem)
        if table is not None and has_run and not isinstance(member, Select | OperationError):
            old = load_item(session, table, write_place(table, member))
            costs.setdefault(table.name, (table, Cost()))[1].table += write_units(old.size)
        return ops.BatchStatementResponse(
            ops.BatchStatementError(_code(error), error.message),
            table.name if table is not None and has_run else None,
        )


def _read(
    select: Select,
    part: ops.BatchStatementRequest,
    session: Session,
    costs: dict[str, tuple[Table, Cost]],
) -> ops.BatchStatementResponse:
    table, _ = find_source(select, session, consistent=False)
    key = key_of_select(table, select)
    if key is None:
        raise ValidationError(NEEDS_KEY)
    item, units = get_item(select, session, table, key, consistent=bool(part.consistent_read))
    costs.setdefault(table.name, (table, Cost()))[1].table += units
    return ops.BatchStatementResponse(table_name=table.name, raw_item=item)


def _code(error: OperationError) -> str:
    if isinstance(error, ValidationError):
        return "ValidationError"
    if isinstance(error, ResourceNotFound):
        return "ResourceNotFound"
    return error.code.removesuffix(SUFFIX)
