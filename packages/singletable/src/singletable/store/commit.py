"""Commit planned writes: a single one by itself, several as a transaction.

If a write conflicts with a transaction, or its guard no longer holds, the change is planned again
after backoff with jitter. Each transaction has a client request token, so that it is applied once
even if it is sent again because the response was lost; only an embedded database, which loses none,
is spared this work. A new plan gets a new token: `send` raises a conflict or a failed condition
only if no attempt with the old one was applied.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, cast
from uuid import uuid4

from dynamodb_engine.expressions import holds
from dynamodb_engine.operations import TransactWriteItems, WriteItemOutput
from dynamodb_engine.retry import TRANSIENT_CODES, send
from dynamodb_engine.steps import Steps
from dynamodb_engine.values import Item
from singletable.errors import (
    CancellationReason,
    ConditionFailed,
    IdempotentParameterMismatch,
    InvalidValue,
    TransactionCanceled,
    TransactionConflict,
)
from singletable.store.context import Context
from singletable.store.plan import Plan
from singletable.store.writes import ItemId, Returning, Write, merge_writes

MAX_TRANSACTION_ITEMS = 100
MAX_TOKEN_LENGTH = 36


class PlannedChange(Protocol):
    """A change that is planned, and planned again after a conflict."""

    def prepare(self) -> Steps[Plan]:
        """Read the items that the change depends on, and plan it."""
        ...


def commit(
    context: Context, change: PlannedChange, returning: Returning | None = None
) -> Steps[tuple[Plan, WriteItemOutput | None]]:
    """Plan one change and write it, again after a conflict; no output from a transaction."""
    dropped: set[ItemId] = set()
    for attempt in range(context.retry_policy.max_attempts):
        if attempt:
            yield context.retry_policy.backoff(attempt - 1, "conflict")
        plan = yield from change.prepare()
        writes = remaining_writes(plan.writes, dropped)
        if not writes:
            return plan, None
        try:
            if len(writes) == 1:
                return plan, (yield from send(context.retry_policy, writes[0].operation(returning)))
            yield from send(context.retry_policy, create_transaction(context, writes))
        except ConditionFailed as error:
            reason = CancellationReason("ConditionalCheckFailed", error.message, error.item)
            _check_retryable(writes, [reason], dropped)
        except TransactionConflict:
            pass
        except TransactionCanceled as error:
            _check_retryable(writes, error.reasons, dropped, error)
        else:
            return plan, None
    raise too_many_conflicts("The write", context)


def commit_all(
    context: Context, planner: Callable[[], Steps[list[Plan]]], token: str | None
) -> Steps[list[Plan]]:
    """Plan several changes and write them in one transaction, again after a conflict."""
    dropped: set[ItemId] = set()
    for attempt in range(context.retry_policy.max_attempts):
        if attempt:
            yield context.retry_policy.backoff(attempt - 1, "conflict")
        plans = yield from planner()
        writes = remaining_writes([write for plan in plans for write in plan.writes], dropped)
        if not writes:
            return plans
        try:
            yield from send(context.retry_policy, create_transaction(context, writes, token))
        except TransactionConflict:
            pass
        except TransactionCanceled as error:
            _check_retryable(writes, error.reasons, dropped, error)
        except IdempotentParameterMismatch as error:
            raise IdempotentParameterMismatch(
                f"A different transaction with the token {token!r} was committed within the last "
                "ten minutes. What the store reads and the timestamps it sets are part of a "
                "transaction. Nothing was changed now; if this is the same work, it is done."
            ) from error
        else:
            return plans
    raise too_many_conflicts("The transaction", context)


def create_transaction(
    context: Context, writes: Sequence[Write], token: str | None = None
) -> TransactWriteItems:
    """Return the request for these writes; raise if they are too many."""
    if len(writes) > MAX_TRANSACTION_ITEMS:
        raise InvalidValue(
            f"A transaction writes at most {MAX_TRANSACTION_ITEMS} items, but this one has "
            f"{len(writes)}, markers and counters included. Split it, or use put_many()."
        )
    if token is None and context.may_lose_responses:
        token = str(uuid4())
    return TransactWriteItems(
        [write.transact_item() for write in writes], client_request_token=token
    )


def remaining_writes(writes: Sequence[Write], dropped: set[ItemId]) -> list[Write]:
    """Merge the writes of the same item, and leave out those that were dropped."""
    merged = merge_writes(writes)
    if not dropped:
        return merged
    return [write for write in merged if not (write.optional and write.item_id in dropped)]


def _check_retryable(
    writes: Sequence[Write],
    reasons: Sequence[CancellationReason],
    dropped: set[ItemId],
    error: TransactionCanceled | None = None,
) -> None:
    """Raise unless another attempt may succeed; add optional writes that failed to `dropped`.

    If a guard failed, the change was planned for another state, so other failures mean nothing.
    """
    retryable = is_outdated = False
    failure: ConditionFailed | None = None
    for write, reason in zip(writes, reasons, strict=True):
        if reason.code == "ConditionalCheckFailed":
            item = cast("Item | None", None if reason.item is None else dict(reason.item))
            if write.optional:
                dropped.add(write.item_id)
            elif write.guard is None or holds(write.guard, item or {}):
                failure = failure or write.error(item)
            else:
                is_outdated = True
            retryable = True
        elif reason.code in TRANSIENT_CODES:
            retryable = True
        elif reason.code != "None" and error is not None:
            raise error
    if failure is not None and not is_outdated:
        raise failure from None
    if not retryable and error is not None:
        raise error


def too_many_conflicts(what: str, context: Context) -> TransactionConflict:
    """Return the error after the last attempt."""
    return TransactionConflict(
        f"{what} conflicted with other writes {context.retry_policy.max_attempts} times in a row. "
        "Nothing was changed."
    )
