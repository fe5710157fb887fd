"""Handle UpdateContinuousBackups."""

from __future__ import annotations

from dynamodb_engine import operations as ops
from dynamodb_engine.engine.catalog import Session
from dynamodb_engine.engine.control.settings import NO_BACKUPS, find_table_for_backups
from dynamodb_engine.engine.control.state import table_status
from dynamodb_engine.errors import ContinuousBackupsUnavailable, UnknownOperation, ValidationError


def run(
    request: ops.UpdateContinuousBackups, session: Session
) -> ops.UpdateContinuousBackupsOutput:
    """Reject point-in-time recovery, because no history is kept; it is always disabled."""
    asked = request.point_in_time_recovery_specification
    if asked.recovery_period_in_days is not None and not asked.point_in_time_recovery_enabled:
        raise ValidationError(
            "Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time "
            "recovery."
        )
    record = find_table_for_backups(request.table_name, session).record
    if table_status(record, session.control_time) == "CREATING":
        raise ContinuousBackupsUnavailable(
            f"Backups are being enabled for the table: {record.name}. Please retry later"
        )
    if asked.point_in_time_recovery_enabled:
        raise UnknownOperation.unsupported("Point-in-time recovery")
    return ops.UpdateContinuousBackupsOutput(NO_BACKUPS)
