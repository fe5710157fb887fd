"""A driver with point-in-time recovery, which the engine does not have."""

from __future__ import annotations

from typing import Any, cast

from dynamodb_engine import operations as ops
from singletable import Engine

OFF = ops.PointInTimeRecoveryDescription("DISABLED")


class RecoveryDriver:
    """Answer requests for backups as DynamoDB does, and send all others to the engine."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.recovery: dict[str, ops.PointInTimeRecoveryDescription] = {}

    def execute(self, operation: ops.Operation[Any], /) -> Any:
        """Execute the operation."""
        if isinstance(operation, ops.UpdateContinuousBackups):
            asked = operation.point_in_time_recovery_specification
            on = ops.PointInTimeRecoveryDescription("ENABLED", asked.recovery_period_in_days or 35)
            enabled = asked.point_in_time_recovery_enabled
            self.recovery[operation.table_name] = on if enabled else OFF
            return ops.UpdateContinuousBackupsOutput(self._describe(operation.table_name))
        if isinstance(operation, ops.DescribeContinuousBackups):
            return ops.DescribeContinuousBackupsOutput(self._describe(operation.table_name))
        return self.engine.execute(cast("ops.Operation[object]", operation))

    def _describe(self, table: str) -> ops.ContinuousBackupsDescription:
        return ops.ContinuousBackupsDescription("ENABLED", self.recovery.get(table, OFF))
