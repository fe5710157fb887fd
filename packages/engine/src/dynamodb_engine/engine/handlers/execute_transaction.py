"""Handle ExecuteTransaction: all statements read, or all write."""

from __future__ import annotations

from functools import reduce
from typing import cast

from msgspec import Struct

from dynamodb_engine import expressions as ex
from dynamodb_engine import operations as ops
from dynamodb_engine import partiql
from dynamodb_engine.engine.catalog import Session, Unfinished
from dynamodb_engine.engine.handlers import transact_get_items, transact_write_items
from dynamodb_engine.engine.handlers.execute_statement import DUPLICATE
from dynamodb_engine.engine.key_validation import NO_MATCH, encode_item_key, encode_key
from dynamodb_engine.engine.partiql_select import find_source, key_of_select, project_row
from dynamodb_engine.engine.partiql_statements import check_parameters, split_key, write_action
from dynamodb_engine.engine.storage import RowKey
from dynamodb_engine.engine.table import Table
from dynamodb_engine.engine.transactions import NO_REASON, TransactAction
from dynamodb_engine.errors import (
    CancellationReason,
    ResourceNotFound,
    TransactionCanceled,
    ValidationError,
)
from dynamodb_engine.values import Item

NAME = "ExecuteTransaction"


class StatementsPlan(Struct, frozen=True):
    """A transaction of statements that are valid for some table."""

    request: ops.ExecuteTransaction
    members: list[partiql.Statement]


def check(request: ops.ExecuteTransaction) -> StatementsPlan:
    """Raise ValidationError if the request is invalid for every table."""
    parameters = [check_parameters(part.parameters) for part in request.transact_statements]
    members: list[partiql.Statement] = []
    for number, part in enumerate(request.transact_statements):
        try:
            members.append(partiql.bind_statement(part.statement, parameters[number]))
        except ValidationError as error:
            raise _failed(number, error) from None
    reads = sum(isinstance(member, partiql.Select) for member in members)
    if 0 < reads < len(members):
        raise ValidationError(
            "ExecuteTransaction API does not support both read and write operations in the same "
            "request."
        )
    return StatementsPlan(request, members)


def only_reads(plan: StatementsPlan) -> bool:
    """Return whether the statements are SELECTs."""
    return isinstance(plan.members[0], partiql.Select)


def places(plan: StatementsPlan, session: Session) -> list[tuple[Table, RowKey]]:
    """Return the places of all items; the storage locks the token as well."""
    return transact_write_items.places(_write_plan(plan, session), session)


def run(
    plan: StatementsPlan, session: Session
) -> ops.ExecuteTransactionOutput | Unfinished[ops.ExecuteTransactionOutput]:
    """Read all items of one snapshot, or apply all writes, or none if one of them fails."""
    if only_reads(plan):
        return _read(plan, session)
    try:
        output = transact_write_items.run(_write_plan(plan, session), session)
    except TransactionCanceled as error:
        raise _name_duplicates(plan, error) from None
    return ops.ExecuteTransactionOutput([], output.consumed_capacity)


def _failed(number: int, error: ValidationError) -> ValidationError:
    return ValidationError(f"Validation failed in TransactStatements[{number}]: {error.message}")


def _check_tables(plan: StatementsPlan, session: Session) -> list[Table]:
    """Return the tables; cancel the transaction if one does not exist.

    A statement that is invalid for its table is reported first.
    """
    tables: list[Table] = []
    reasons: list[CancellationReason] = []
    for number, member in enumerate(plan.members):
        try:
            table = session.table(member.table)
            _check_member(member, table, session)
        except ResourceNotFound as error:
            reasons.append(CancellationReason("ResourceNotFound", error.message))
        except ValidationError as error:
            raise _failed(number, error) from None
        else:
            tables.append(table)
            reasons.append(NO_REASON)
    if len(tables) < len(plan.members):
        raise TransactionCanceled(reasons)
    return tables


def _check_member(member: partiql.Statement, table: Table, session: Session) -> None:
    match member:
        case partiql.Select(index=str()):
            raise ValidationError("Reads on indices are not supported within transactions.")
        case partiql.Select():
            find_source(member, session, consistent=False)
            key_of_select(table, member, NAME)
        case partiql.Exists(select) if select.index is not None:
            raise ValidationError("Operations on indices are not supported in transactions")
        case partiql.Exists(select):
            key, others = split_key(table, select.where)
            if not others or len(key) < len(table.key.names):
                raise ValidationError(
                    "EXISTS() must contain a single item read with additional condition"
                )
        case partiql.Update() | partiql.Delete() if member.returning is not None:
            raise ValidationError("RETURNING clause is not supported in ExecuteTransaction.")
        case _:
            pass


def _read(plan: StatementsPlan, session: Session) -> Unfinished[ops.ExecuteTransactionOutput]:
    tables = _check_tables(plan, session)
    selects = cast("list[partiql.Select]", plan.members)
    keys = [key_of_select(*named, NAME) for named in zip(tables, selects, strict=True)]
    gets: list[tuple[ops.Get, Item, ex.Projection | None]] = [
        (ops.Get(table.name, key), key, None) for table, key in zip(tables, keys, strict=True)
    ]
    request = ops.TransactGetItems([], plan.request.return_consumed_capacity)
    get_plan = transact_get_items.TransactGetPlan(request, gets)
    unfinished = transact_get_items.run(get_plan, session)

    def finish() -> ops.ExecuteTransactionOutput:
        output = unfinished.finish()
        found = zip(selects, [each.raw_item for each in output.responses], strict=True)
        responses = [
            ops.ItemResponse(None if raw is None else project_row(select, raw))
            for select, raw in found
        ]
        return ops.ExecuteTransactionOutput(responses, output.consumed_capacity)

    return Unfinished(finish, unfinished.work)


def _write_plan(plan: StatementsPlan, session: Session) -> transact_write_items.TransactWritePlan:
    """Return the plan of TransactWriteItems; cancel the transaction if a key is invalid."""
    tables = _check_tables(plan, session)
    actions: list[TransactAction] = []
    reasons: list[CancellationReason] = []
    parts = plan.request.transact_statements
    members = cast("list[partiql.Write | partiql.Exists]", plan.members)
    for member, table, part in zip(members, tables, parts, strict=True):
        try:
            action = _action(member, table, part)
            # Also checks the key; other errors of the item are found by running the action.
            if isinstance(member, partiql.Insert):
                encode_item_key(table, action.key)
            else:
                encode_key(table, action.key)
        except ValidationError as error:
            reasons.append(CancellationReason("ValidationError", error.message))
        else:
            actions.append(action)
            reasons.append(NO_REASON)
    if len(actions) < len(parts):
        raise TransactionCanceled(reasons)
    request = ops.TransactWriteItems(
        # Only a digest of these is used, to recognize a repeated request.
        cast("list[object]", parts),  # type: ignore[arg-type]
        plan.request.return_consumed_capacity,
        client_request_token=plan.request.client_request_token,
    )
    return transact_write_items.plan_of(request, actions)


def _action(
    member: partiql.Write | partiql.Exists, table: Table, part: ops.ParameterizedStatement
) -> TransactAction:
    return_old = part.return_values_on_condition_check_failure
    if isinstance(member, partiql.Exists):
        key, others = split_key(table, member.select.where)
        exists: ex.Condition = ex.Exists((table.partition_key.name,))
        request = ops.ConditionCheck(
            table.name, key, "", return_values_on_condition_check_failure=return_old
        )
        return TransactAction(request, key, 0, (), reduce(ex.And, others, exists))
    try:
        return write_action(table, member, return_old)
    except ValidationError:
        if isinstance(member, partiql.Insert):
            raise
        raise ValidationError(NO_MATCH) from None


def _name_duplicates(plan: StatementsPlan, error: TransactionCanceled) -> TransactionCanceled:
    """Return the cancellation, with DuplicateItem for each failed INSERT."""
    return TransactionCanceled(
        [
            CancellationReason("DuplicateItem", DUPLICATE)
            if isinstance(member, partiql.Insert) and reason.code == "ConditionalCheckFailed"
            else reason
            for member, reason in zip(plan.members, error.reasons, strict=True)
        ]
    )
