"""Deployment settings that a table declaration leaves open, with defaults for production."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from dynamodb_engine.operations import StreamViewType, TableClass
from singletable.errors import DeclarationError
from singletable.schema import Provisioned, Table
from singletable.tables.settings import (
    MAX_RECOVERY_DAYS,
    AwsOwnedKey,
    Encryption,
    TableSettings,
    check_recovery_days,
)
from singletable_design.infrastructure.planned_load import PlannedLoad


@dataclass(frozen=True, slots=True)
class Scaling:
    """Auto scaling of provisioned capacity: up to `max_factor` times the declared units."""

    max_factor: int = 10
    target_percent: int = 70

    def __post_init__(self) -> None:
        if self.max_factor < 1:
            raise DeclarationError(
                f"Scaling: expected max_factor of at least 1, but got {self.max_factor}."
            )
        # The range that Application Auto Scaling allows for DynamoDB.
        if not 20 <= self.target_percent <= 90:
            raise DeclarationError(
                f"Scaling: expected target_percent from 20 to 90, but got {self.target_percent}."
            )


@dataclass(frozen=True, slots=True)
class AlarmThresholds:
    """Thresholds of the generated alarms.

    With a plan, an alarm fires if more than `peak_factor` times the planned units are consumed, or
    if `throttled_percent` of the planned requests are throttled or `user_error_percent` rejected
    within five minutes. `least_units` per second, `least_throttled` and `user_errors` are lower
    bounds of these thresholds, so that a table with little traffic does not raise alarms.
    """

    throttled_events: int = 1
    user_errors: int = 100
    latency_ms: int = 100
    capacity_percent: int = 80
    operations: tuple[str, ...] = ("GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem")
    peak_factor: float = 2.0
    throttled_percent: float = 0.1
    user_error_percent: float = 1.0
    least_units: float = 10.0
    least_throttled: int = 10

    def __post_init__(self) -> None:
        if not 1 <= self.peak_factor < float("inf"):
            raise DeclarationError(
                f"AlarmThresholds: expected peak_factor of at least 1, but got {self.peak_factor}."
            )


@dataclass(frozen=True, slots=True)
class Deployment:
    """How declared tables are deployed. The defaults are safe for production.

    `names` maps declared table names to deployed ones; `capacity` overrides the declared capacity.
    None turns off scaling, recovery, the stream or alarms. With the `planned` load, thresholds of
    alarms follow from it, and `max_throughput` limits tables and indexes on demand to this many
    times their planned peak.
    """

    names: Mapping[str, str] = field(default_factory=dict[str, str])
    capacity: Provisioned | Literal["on-demand"] | None = None
    scaling: Scaling | None = Scaling()
    recovery_days: int | None = MAX_RECOVERY_DAYS
    deletion_protection: bool = True
    encryption: Encryption = field(default_factory=AwsOwnedKey)
    stream: StreamViewType | None = None
    table_class: TableClass = "STANDARD"
    tags: Mapping[str, str] = field(default_factory=dict[str, str])
    alarms: AlarmThresholds | None = AlarmThresholds()
    planned: PlannedLoad | None = None
    max_throughput: float | None = None

    def __post_init__(self) -> None:
        self._check_max_throughput()
        if self.recovery_days == 0:
            raise DeclarationError(
                "recovery_days: expected 1 to 35, but got 0. Use None to turn recovery off."
            )
        check_recovery_days(self.recovery_days)

    def _check_max_throughput(self) -> None:
        factor = self.max_throughput
        if factor is None:
            return
        if self.planned is None:
            raise DeclarationError(
                "max_throughput is a multiple of the planned peak, but there is no plan. Set "
                "planned=…, too."
            )
        least = 1 if self.alarms is None else self.alarms.peak_factor
        if not least < factor < float("inf"):
            raise DeclarationError(
                f"max_throughput: expected more than {least:g} times the planned peak, so that an "
                f"alarm fires before requests are throttled, but got {factor:g}."
            )

    def name(self, table: Table) -> str:
        """Return the deployed name of `table`."""
        return self.names.get(table.name, table.name)

    def capacity_of(self, table: Table) -> Provisioned | None:
        """Return the capacity provisioned for `table`, or None if it is on demand."""
        if self.capacity == "on-demand":
            return None
        return self.capacity or table.capacity

    @property
    def table_settings(self) -> TableSettings:
        """The settings that every table gets."""
        return TableSettings(
            deletion_protection=self.deletion_protection,
            stream=self.stream,
            table_class=self.table_class,
            recovery_days=self.recovery_days or 0,
            encryption=self.encryption,
        )
