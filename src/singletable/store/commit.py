"""Carry out planned writes: one by itself, several as a transaction, again if they met others.

A write that met a transaction, or whose guard no longer holds, is planned anew, after a wait of
random length. A request that DynamoDB had no time for is sent again as it is (ask.py). Each
transaction has a token, so that one whose answer was lost happens once however often it is sent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, cast
from uuid import uuid4

from singletable.errors import (
    CancellationReason,
    ConditionFailed,
    IdempotentParameterMismatch,
    InvalidValue,
    TransactionCanceled,
    TransactionConflict,
)
from singletable.expressions import holds
from singletable.operations import TransactWriteItems, WriteItemOutput
from singletable.retry import Steps, send
from singletable.store.context import Context
from singletable.store.plan import Plan
from singletable.store.writes import Place, Returning, Write, merged
from singletable.values import Item

MOST_ACTIONS = 100
LONGEST_TOKEN = 36

Replan: TypeAlias = Callable[[], Steps[Plan]]

_MET_OTHERS = ("TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded")


def carry_out(
    context: Context, replan: Replan, returning: Returning | None = None
) -> Steps[tuple[Plan, WriteItemOutput | None]]:
    """Plan and write until nothing that the plan relies on has changed in between."""
    left_out: set[Place] = set()
    for attempt in range(context.retry_policy.max_attempts):
        if attempt:
            yield context.retry_policy.backoff(attempt - 1, "conflict")
        plan = yield from replan()
        writes = _remaining(plan.writes, left_out)
        try:
            if len(writes) == 1:
                return plan, (yield from send(context.retry_policy, writes[0].operation(returning)))
            yield from send(context.retry_policy, transaction(writes, str(uuid4())))
        except ConditionFailed as error:
            _go_on(writes, [_failed(error)], left_out)
        except TransactionConflict:
            pass
        except TransactionCanceled as error:
            _go_on(writes, error.reasons, left_out, error)
        else:
            return plan, None
    raise _given_up("The write", context)


def commit_all(
    context: Context, replan: Callable[[], Steps[list[Plan]]], token: str | None
) -> Steps[list[Plan]]:
    """The same for several changes that happen together or not at all."""
    left_out: set[Place] = set()
    for attempt in range(context.retry_policy.max_attempts):
        if attempt:
            yield context.retry_policy.backoff(attempt - 1, "conflict")
        plans = yield from replan()
        writes = _remaining([write for plan in plans for write in plan.writes], left_out)
        if not writes:
            return plans
        try:
            yield from send(context.retry_policy, transaction(writes, token or str(uuid4())))
        except TransactionConflict:
            pass
        except TransactionCanceled as error:
            _go_on(writes, error.reasons, left_out, error)
        except IdempotentParameterMismatch as error:
            raise _used_up(token) from error
        else:
            return plans
    raise _given_up("The transaction", context)


def transaction(writes: Sequence[Write], token: str) -> TransactWriteItems:
    """The writes as one transaction."""
    if len(writes) > MOST_ACTIONS:
        raise InvalidValue(
            f"A transaction writes at most {MOST_ACTIONS} items, and this one would write "
            f"{len(writes)}, markers and counts included. Split it, or use put_many()."
        )
    return TransactWriteItems([write.action() for write in writes], client_request_token=token)


def _remaining(writes: Sequence[Write], left_out: set[Place]) -> list[Write]:
    found = merged(writes)
    return [one for one in found if one.place not in left_out] if left_out else found


def _go_on(
    writes: Sequence[Write],
    reasons: Sequence[CancellationReason],
    left_out: set[Place],
    error: TransactionCanceled | None = None,
) -> None:
    """Return if another attempt may succeed, having noted what to leave out; else say why not."""
    again = False
    for write, reason in zip(writes, reasons, strict=True):
        if reason.code == "ConditionalCheckFailed":
            # A reason holds an item in the form in which all items are held.
            item = cast("Item | None", None if reason.item is None else dict(reason.item))
            if write.optional:
                left_out.add(write.place)
            elif write.guard is None or holds(write.guard, item or {}):
                raise write.explain(item) from None
            again = True
        elif reason.code in _MET_OTHERS:
            again = True
        elif reason.code != "None" and error is not None:
            raise error
    if not again and error is not None:
        raise error


def _failed(error: ConditionFailed) -> CancellationReason:
    return CancellationReason("ConditionalCheckFailed", error.message, error.item)


def _given_up(what: str, context: Context) -> TransactionConflict:
    return TransactionConflict(
        f"{what} conflicted with other writes {context.retry_policy.max_attempts} times in a row. "
        "Nothing was changed."
    )


def _used_up(token: str | None) -> IdempotentParameterMismatch:
    return IdempotentParameterMismatch(
        f"A transaction with the token {token!r} was carried out within the last ten minutes, and "
        "this one is not the same to the letter: what the store reads and the times it sets "
        "belong to it. Nothing was changed now; if it is the same work, it is done."
    )
