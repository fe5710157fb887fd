"""Settings of a table that its declaration leaves open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from dynamodb_engine.operations import SSESpecification, StreamViewType, TableClass
from singletable.errors import DeclarationError

MAX_RECOVERY_DAYS = 35


@dataclass(frozen=True, slots=True)
class AwsOwnedKey:
    """Encrypt with a key that AWS owns: free, and not visible in the account."""


@dataclass(frozen=True, slots=True)
class AwsManagedKey:
    """Encrypt with the account's key for DynamoDB, `alias/aws/dynamodb`."""


@dataclass(frozen=True, slots=True)
class CustomerKey:
    """Encrypt with a customer managed key, given by its ARN."""

    arn: str

    def __post_init__(self) -> None:
        parts = self.arn.split(":", 5)
        if len(parts) != 6 or parts[0] != "arn" or parts[2] != "kms":
            raise DeclarationError(
                f"{self.arn!r} is not the ARN of a KMS key. Expected "
                "arn:aws:kms:REGION:ACCOUNT:key/ID."
            )


Encryption: TypeAlias = AwsOwnedKey | AwsManagedKey | CustomerKey


def sse_specification(encryption: Encryption | None) -> SSESpecification | None:
    """Return the SSESpecification of CreateTable for `encryption`."""
    match encryption:
        case None | AwsOwnedKey():  # DynamoDB's default
            return None
        case AwsManagedKey():
            return SSESpecification(enabled=True, sse_type="KMS")
        case CustomerKey(arn):
            return SSESpecification(enabled=True, sse_type="KMS", kms_master_key_id=arn)


def check_recovery_days(days: int | None) -> None:
    """Reject days that DynamoDB does not keep backups for."""
    if days is not None and not 0 <= days <= MAX_RECOVERY_DAYS:
        raise DeclarationError(
            f"recovery_days: expected 1 to {MAX_RECOVERY_DAYS}, but got {days}. DynamoDB keeps "
            f"point-in-time backups for at most {MAX_RECOVERY_DAYS} days."
        )


@dataclass(frozen=True, slots=True)
class TableSettings:
    """Settings to apply to a table, or to compare with one; None leaves a setting out.

    `recovery_days=0` means that point-in-time recovery is off.
    """

    deletion_protection: bool | None = None
    stream: StreamViewType | None = None
    table_class: TableClass | None = None
    recovery_days: int | None = None
    encryption: Encryption | None = None

    def __post_init__(self) -> None:
        check_recovery_days(self.recovery_days)


NO_SETTINGS = TableSettings()
