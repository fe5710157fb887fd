"""Carry out planned writes: one by itself, several as a transaction, again if they met others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from singletable.errors import (
    ConditionFailed,
    InvalidValue,
    TransactionCanceled,
    TransactionConflict,
    TransactionInProgress,
)
from singletable.expressions import holds
from singletable.operations import ItemWritten, TransactWriteItems
from singletable.store.context import Context
from singletable.store.merge import merged
from singletable.store.plan import Plan
from singletable.store.steps import Steps
from singletable.store.write import Returning, Write
from singletable.values import Item

MOST_ACTIONS = 100

Replan: TypeAlias = Callable[[], Steps[Plan]]


def carry_out(
    context: Context, replan: Replan, returning: Returning | None = None
) -> Steps[tuple[Plan, ItemWritten | None]]:
    """Plan and write until nothing that the plan relies on has changed in between."""
    for attempt in range(context.attempts):
        plan = yield from replan()
        writes = merged(plan.writes)
        try:
            if len(plan.writes) == 1:
                written = yield plan.writes[0].operation(returning)
                return plan, written
            yield transaction(writes, None)
        except ConditionFailed as error:
            if not _outdated(plan.writes[0], error.item):
                raise plan.writes[0].explain(_item(error.item)) from None
        except TransactionConflict:
            pass
        except TransactionCanceled as error:
            if not _again(writes, error):
                raise refusal(writes, error) from error
        else:
            return plan, None
        yield context.pause(attempt)
    raise TransactionConflict(
        f"The write met other writes {context.attempts} times in a row, and was given up. "
        "Nothing was changed."
    )


def commit_all(
    context: Context, replan: Callable[[], Steps[list[Plan]]], token: str | None
) -> Steps[list[Plan]]:
    """The same for several changes that happen together or not at all."""
    for attempt in range(context.attempts):
        plans = yield from replan()
        writes = merged([write for plan in plans for write in plan.writes])
        if not writes:
            return plans
        try:
            yield transaction(writes, token)
        except (TransactionConflict, TransactionInProgress):
            pass
        except TransactionCanceled as error:
            if not _again(writes, error):
                raise refusal(writes, error) from error
        else:
            return plans
        yield context.pause(attempt)
    raise TransactionConflict(
        f"The transaction met other writes {context.attempts} times in a row, and was given up. "
        "Nothing was changed."
    )


def transaction(writes: Sequence[Write], token: str | None) -> TransactWriteItems:
    """The writes as one transaction."""
    if len(writes) > MOST_ACTIONS:
        raise InvalidValue(
            f"A transaction writes at most {MOST_ACTIONS} items, and this one would write "
            f"{len(writes)}, markers and counts included. Split it, or use put_many()."
        )
    return TransactWriteItems([write.action() for write in writes], client_request_token=token)


def refusal(writes: Sequence[Write], error: TransactionCanceled) -> Exception:
    """Why the transaction was refused, in the words of the first write that was."""
    for write, reason in zip(writes, error.reasons, strict=True):
        if reason.code == "ConditionalCheckFailed":
            return write.explain(_item(reason.item))
    return error


def _again(writes: Sequence[Write], error: TransactionCanceled) -> bool:
    """Whether the transaction met another, or what was read before has changed."""
    outdated = False
    for write, reason in zip(writes, error.reasons, strict=True):
        if reason.code == "ConditionalCheckFailed":
            if not _outdated(write, reason.item):
                return False
            outdated = True
        elif reason.code in (
            "TransactionConflict",
            "ThrottlingError",
            "ProvisionedThroughputExceeded",
        ):
            outdated = True
        elif reason.code != "None":
            return False
    return outdated


def _outdated(write: Write, item: Any) -> bool:
    """Whether what the plan relied on is no longer so."""
    return write.guard is not None and not holds(write.guard, _item(item) or {})


def _item(item: Any) -> Item | None:
    return None if item is None else dict(item)
