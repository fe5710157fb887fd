"""Operations on continuous backups, from which a table is restored as it once was."""

from __future__ import annotations

from typing import Literal, TypeAlias

from singletable.operations.operation import Operation, Shape

OnOrOff: TypeAlias = Literal["ENABLED", "DISABLED"]


class PointInTimeRecoverySpecification(Shape, frozen=True):
    """Whether a table can be restored, and to any second of how many days: 35 unless told."""

    point_in_time_recovery_enabled: bool
    recovery_period_in_days: int | None = None


class PointInTimeRecoveryDescription(Shape, frozen=True):
    """Whether a table can be restored, and to any second of which time."""

    point_in_time_recovery_status: OnOrOff
    recovery_period_in_days: int | None = None
    earliest_restorable_date_time: float | None = None
    latest_restorable_date_time: float | None = None


class ContinuousBackupsDescription(Shape, frozen=True):
    """Backups as they stand. Their own status says nothing of recovery, which is told beside it."""

    continuous_backups_status: OnOrOff
    point_in_time_recovery_description: PointInTimeRecoveryDescription | None = None


class UpdateContinuousBackupsOutput(Shape, frozen=True):
    """The table's backups as they stand now."""

    continuous_backups_description: ContinuousBackupsDescription


class UpdateContinuousBackups(Operation[UpdateContinuousBackupsOutput], frozen=True):
    """Let a table be restored as it was at some moment, or no longer."""

    table_name: str
    point_in_time_recovery_specification: PointInTimeRecoverySpecification


class DescribeContinuousBackupsOutput(Shape, frozen=True):
    """The table's backups as they stand."""

    continuous_backups_description: ContinuousBackupsDescription


class DescribeContinuousBackups(Operation[DescribeContinuousBackupsOutput], frozen=True):
    """Ask whether a table can be restored as it was at some moment."""

    table_name: str
