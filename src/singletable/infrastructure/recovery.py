"""Point-in-time recovery of a table that stands, where its address knows of such a thing."""

from __future__ import annotations

from singletable.errors import BackupTableNotFound, ContinuousBackupsUnavailable
from singletable.infrastructure.deployment import LONGEST_RECOVERY
from singletable.operations import (
    DescribeContinuousBackups,
    Driver,
    PointInTimeRecoverySpecification,
    UpdateContinuousBackups,
)
from singletable.wire import UnknownOperation


def recovery_days(driver: Driver, name: str) -> int | None:
    """Within how many days the table can be recovered, 0 if it cannot; None if nobody can tell."""
    try:
        backups = driver.execute(DescribeContinuousBackups(name)).continuous_backups_description
    except (UnknownOperation, BackupTableNotFound):
        # So answer dynalite and DynamoDB Local; and DynamoDB of a table that is archived.
        return None
    told = backups.point_in_time_recovery_description
    if told is None or told.point_in_time_recovery_status != "ENABLED":
        return 0
    # Older servers tell no days, for there was no choice.
    return told.recovery_period_in_days or LONGEST_RECOVERY


def switched_on(driver: Driver, name: str, days: int) -> bool:
    """Let the table be recovered; whether it was not too early to ask.

    An address that knows of no recovery is left as it is.
    """
    asked = PointInTimeRecoverySpecification(True, days)
    try:
        driver.execute(UpdateContinuousBackups(name, asked))
    except (ContinuousBackupsUnavailable, BackupTableNotFound):
        # A table can be used some seconds before DynamoDB has backups of it.
        return False
    except UnknownOperation:
        return True
    return True
