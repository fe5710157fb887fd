"""One request, asked again while DynamoDB has no time for it.

A driver sends a request once; patience is the store's. Throttled, ServiceUnavailable and
TransactionInProgress change nothing, so whatever met them is sent again, after a wait of random
length. After an InternalError nobody knows whether a write took effect, so it is sent again only
if twice is as good as once: reads, batches, unconditional puts, and transactions, each of which
has a token. Other writes leave the decision to the caller, who is told.
"""

from __future__ import annotations

from typing import Any, TypeVar

from singletable.errors import (
    InternalError,
    OperationError,
    ServiceUnavailable,
    Throttled,
    TransactionInProgress,
)
from singletable.operations import DeleteItem, Operation, PutItem, UpdateItem
from singletable.store.context import Context
from singletable.store.steps import Steps

R = TypeVar("R")


def ask(context: Context, operation: Operation[R]) -> Steps[R]:
    """The answer to a request."""
    for attempt in range(context.attempts - 1):
        try:
            answer: R = yield operation
            return answer
        except (Throttled, ServiceUnavailable, TransactionInProgress):
            pass
        except InternalError as error:
            if not _is_repeatable(operation):
                raise _unknown(error) from error
        yield context.pause(attempt)
    last: R = yield operation
    return last


def _is_repeatable(operation: Operation[Any]) -> bool:
    match operation:
        case UpdateItem() | DeleteItem():
            return False
        case PutItem():
            return operation.condition_expression is None
        case _:
            return True


def _unknown(error: OperationError) -> InternalError:
    return InternalError(
        f"{error.message}. Whether the write took effect is not known: read the item again. "
        "A transaction is repeated by itself, and happens once."
    )
