"""One request, asked again while DynamoDB has no time for it.

A driver sends a request once; patience is a matter of its own. Throttled, ServiceUnavailable and
TransactionInProgress change nothing, so whatever met them is sent again, after a wait of random
length; so is what never arrived. After an InternalError, or when a request was sent and no answer
came, nobody knows whether a write took effect, so it is sent again only if twice is as good as
once: reads, batches, unconditional puts, and transactions, each of which has a token. Other writes
leave the decision to the caller, who is told.
"""

from __future__ import annotations

from itertools import count
from typing import Any, TypeVar

from msgspec import structs

from singletable.errors import (
    InternalError,
    OperationError,
    ResourceNotFound,
    ServiceUnavailable,
    Throttled,
    TransactionInProgress,
    Unreachable,
    Untrusted,
)
from singletable.operations import (
    BatchGetItem,
    BatchWriteItem,
    DeleteItem,
    Operation,
    PutItem,
    TransactGetItems,
    TransactWriteItems,
    UpdateItem,
)
from singletable.patience.patience import Patience
from singletable.patience.steps import Steps

R = TypeVar("R")


def ask(patience: Patience, operation: Operation[R]) -> Steps[R]:
    """The answer to a request."""
    for attempt in count():
        throttled = False
        try:
            answer: R = yield operation
        except (Throttled, ServiceUnavailable, TransactionInProgress) as error:
            if not patience.allows(attempt):
                raise
            throttled = isinstance(error, Throttled)
        except Untrusted:  # it would be no better a moment later
            raise
        except Unreachable as error:
            if error.arrived and not is_repeatable(operation):
                raise
            if not patience.allows(attempt):
                raise
        except ResourceNotFound as error:
            error.add_note(_asked_of(operation))
            raise
        except InternalError as error:
            if not is_repeatable(operation):
                raise _unknown(error) from error
            if not patience.allows(attempt):
                raise
        else:
            patience.quota.earn(retried=attempt > 0)
            return answer
        yield patience.pause(attempt, "refused", throttled=throttled)
    raise AssertionError  # counting does not end


def is_repeatable(operation: Operation[Any]) -> bool:
    """Whether a request may be sent twice though nobody knows what the first did."""
    match operation:
        case UpdateItem() | DeleteItem():
            return False
        case PutItem():
            return operation.condition_expression is None and operation.expected is None
        case _:
            return True


def _asked_of(operation: Operation[Any]) -> str:
    """What was asked for: DynamoDB does not say what it has not found."""
    match operation:
        case BatchGetItem() | BatchWriteItem():
            tables = [*operation.request_items]
        case TransactGetItems() | TransactWriteItems():
            parts = [part for one in operation.transact_items for part in structs.astuple(one)]
            tables = [part.table_name for part in parts if part is not None]
        case _:
            tables = [str(getattr(operation, "table_name", "…"))]
    index: str | None = getattr(operation, "index_name", None)
    asked = ", ".join(map(repr, dict.fromkeys(tables))) + (f", index {index!r}" if index else "")
    return (
        f"{type(operation).__name__} asked for table {asked}. Is it made, at this address and "
        "under this name? store.admin.create_table(…) makes a table; "
        "Store(…, tables={table: name}) says how it is named there."
    )


def _unknown(error: OperationError) -> InternalError:
    return InternalError(
        f"{error.message}. Whether the write took effect is not known: read the item again. "
        "A transaction is repeated by itself, and happens once."
    )
