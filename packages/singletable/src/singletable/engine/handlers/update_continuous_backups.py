"""Handle UpdateContinuousBackups."""

from __future__ import annotations

from msgspec.structs import replace

from singletable import operations as ops
from singletable.engine.catalog import Session
from singletable.engine.control.settings import describe_backups, find_table_for_backups
from singletable.engine.control.state import table_status
from singletable.errors import ContinuousBackupsUnavailable, ValidationError

_MAX_DAYS = 35


def run(
    request: ops.UpdateContinuousBackups, session: Session
) -> ops.UpdateContinuousBackupsOutput:
    """Store whether point-in-time recovery is enabled, and for how many days."""
    days = _days(request.point_in_time_recovery_specification)
    record = find_table_for_backups(request.table_name, session).record
    if table_status(record, session.control_time) == "CREATING":
        raise ContinuousBackupsUnavailable(
            f"Backups are being enabled for the table: {record.name}. Please retry later"
        )
    changed = session.catalog.update(session.execute, replace(record, recovery_days=days))
    return ops.UpdateContinuousBackupsOutput(describe_backups(changed.record, session.control_time))


def _days(specification: ops.PointInTimeRecoverySpecification) -> int | None:
    """Return the recovery period, or None to disable recovery."""
    if specification.point_in_time_recovery_enabled:
        return specification.recovery_period_in_days or _MAX_DAYS
    if specification.recovery_period_in_days is not None:
        raise ValidationError(
            "Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time "
            "recovery."
        )
    return None
