"""Why a transaction is refused as a whole, whether it reads or writes."""

from __future__ import annotations

from singletable.errors import CancellationReason, TransactionCanceled, ValidationError

TWICE = "Transaction request cannot include multiple operations on one item"
NOTHING = CancellationReason()


def canceled_at(place: int, actions: int, error: ValidationError) -> TransactionCanceled:
    """The cancellation for an action that does not fit its table.

    DynamoDB looks no further than the first of these, and at no condition before it: whatever may
    be wrong with the other actions, they have no reason.
    """
    reasons = [NOTHING] * actions
    reasons[place] = CancellationReason("ValidationError", error.message)
    return TransactionCanceled(reasons)
