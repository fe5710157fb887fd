"""How a declared table is run on AWS: what the declaration leaves open, with safe defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from singletable.errors import DeclarationError
from singletable.operations.shapes import StreamViewType, TableClass
from singletable.schema import Provisioned, Table

LONGEST_RECOVERY = 35


@dataclass(frozen=True, slots=True)
class AwsOwnedKey:
    """Encryption with a key that AWS owns: free, and in no account's log."""


@dataclass(frozen=True, slots=True)
class AwsManagedKey:
    """Encryption with the account's key for DynamoDB, `alias/aws/dynamodb`."""


@dataclass(frozen=True, slots=True)
class CustomerKey:
    """Encryption with a key of one's own, by its ARN."""

    arn: str

    def __post_init__(self) -> None:
        parts = self.arn.split(":", 5)
        if len(parts) != 6 or parts[0] != "arn" or parts[2] != "kms":
            raise DeclarationError(
                f"{self.arn!r} is not the ARN of a key. Write it as "
                "arn:aws:kms:REGION:ACCOUNT:key/ID."
            )


Encryption: TypeAlias = AwsOwnedKey | AwsManagedKey | CustomerKey


@dataclass(frozen=True, slots=True)
class Scaling:
    """How provisioned capacity follows the load: from what is declared to `most` times that."""

    most: int = 10
    target_percent: int = 70

    def __post_init__(self) -> None:
        if self.most < 1:
            raise DeclarationError(f"Scaling: most is 1 or more, and here it is {self.most}.")
        # The range that Application Auto Scaling allows for DynamoDB.
        if not 20 <= self.target_percent <= 90:
            raise DeclarationError(
                f"Scaling: target_percent is from 20 to 90, and here it is {self.target_percent}."
            )


@dataclass(frozen=True, slots=True)
class AlarmLimits:
    """From where on an alarm is raised."""

    throttled_events: int = 1
    user_errors: int = 100
    latency_ms: int = 100
    capacity_percent: int = 80
    operations: tuple[str, ...] = ("GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem")


@dataclass(frozen=True, slots=True)
class Deployment:
    """What AWS is told beside the declaration. The defaults are safe for production.

    `capacity` overrules what tables declare. `names` gives tables other names than declared.
    """

    names: Mapping[str, str] = field(default_factory=dict[str, str])
    capacity: Provisioned | Literal["on-demand"] | None = None
    scaling: Scaling | None = Scaling()
    recovery_days: int | None = LONGEST_RECOVERY
    deletion_protection: bool = True
    encryption: Encryption = AwsOwnedKey()
    stream: StreamViewType | None = None
    table_class: TableClass = "STANDARD"
    tags: Mapping[str, str] = field(default_factory=dict[str, str])
    alarms: AlarmLimits | None = AlarmLimits()

    def __post_init__(self) -> None:
        days = self.recovery_days
        if days is not None and not 1 <= days <= LONGEST_RECOVERY:
            raise DeclarationError(
                f"recovery_days: a table can be recovered as it was within 1 to {LONGEST_RECOVERY} "
                f"days, and here it is {days}. None switches it off."
            )

    def name(self, table: Table) -> str:
        """The table's name on AWS."""
        return self.names.get(table.name, table.name)

    def capacity_of(self, table: Table) -> Provisioned | None:
        """The capacity that is provisioned for a table; None if it is billed by the request."""
        if self.capacity == "on-demand":
            return None
        return self.capacity or table.capacity
