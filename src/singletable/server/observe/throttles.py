"""Which errors mean that a request came too fast."""

from __future__ import annotations

from singletable.errors import OperationError, SingleTableError, TransactionCanceled

CODES = frozenset(
    ["ProvisionedThroughputExceededException", "RequestLimitExceeded", "ThrottlingException"]
)
# A transaction tells it among the reasons for its cancellation, in other words.
REASONS = frozenset(["ProvisionedThroughputExceeded", "ThrottlingError"])


def is_throttle(error: SingleTableError) -> bool:
    """Whether the same request may succeed when there is less to do."""
    match error:
        case TransactionCanceled():
            return any(reason.code in REASONS for reason in error.reasons)
        case OperationError():
            return error.code in CODES
        case _:
            return False
