"""The key that a table is encrypted with: as it is asked for, and as it is found."""

from __future__ import annotations

from singletable.infrastructure.deployment import (
    AwsManagedKey,
    AwsOwnedKey,
    CustomerKey,
    Encryption,
)
from singletable.operations import SSESpecification

OWNED = "a key that AWS owns"


def specification(key: Encryption | None) -> SSESpecification | None:
    """How CreateTable is told of the key."""
    match key:
        case None | AwsOwnedKey():  # what DynamoDB does if it is told nothing
            return None
        case AwsManagedKey():
            return SSESpecification(enabled=True, sse_type="KMS")
        case CustomerKey(arn):
            return SSESpecification(enabled=True, sse_type="KMS", kms_master_key_id=arn)


def in_words(key: Encryption) -> str:
    """The key as it is spoken of."""
    match key:
        case AwsOwnedKey():
            return OWNED
        case AwsManagedKey():
            return "the account's key for DynamoDB"
        case CustomerKey(arn):
            return arn


def is_another(wanted: Encryption, found: str | None) -> bool | None:
    """Whether a table has another key than is wanted; None if only KMS can tell.

    `found` is an ARN, or None for a key that AWS owns. DynamoDB tells the ARN of the key itself,
    never an alias, be the key managed by AWS or by the customer.
    """
    match wanted:
        case AwsOwnedKey():
            return found is not None
        case AwsManagedKey():
            return True if found is None else None
        case CustomerKey(arn):
            if found is None or found == arn:
                return found is None
            return None if ":alias/" in arn else True
