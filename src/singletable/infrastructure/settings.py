"""What a table is to be beside its declaration, where somebody cares."""

from __future__ import annotations

from dataclasses import dataclass

from singletable.errors import DeclarationError
from singletable.infrastructure.deployment import LONGEST_RECOVERY, Deployment, Encryption
from singletable.operations.shapes import StreamViewType, TableClass


@dataclass(frozen=True, slots=True)
class TableSettings:
    """Settings that are made, and compared, only if they are given; 0 days are no recovery."""

    deletion_protection: bool | None = None
    stream: StreamViewType | None = None
    table_class: TableClass | None = None
    recovery_days: int | None = None
    encryption: Encryption | None = None

    def __post_init__(self) -> None:
        days = self.recovery_days
        if days is not None and not 0 <= days <= LONGEST_RECOVERY:
            raise DeclarationError(
                f"recovery_days: a table can be recovered as it was within 1 to {LONGEST_RECOVERY} "
                f"days, and here it is {days}. 0 is no recovery, and None leaves it as it is."
            )


NO_SETTINGS = TableSettings()


def settings_of(deployment: Deployment) -> TableSettings:
    """All that a deployment says of a table beside its declaration."""
    return TableSettings(
        deletion_protection=deployment.deletion_protection,
        stream=deployment.stream,
        table_class=deployment.table_class,
        recovery_days=deployment.recovery_days or 0,
        encryption=deployment.encryption,
    )
