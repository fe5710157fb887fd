"""CloudWatch alarms for tables and for the account."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from singletable.infrastructure.deployment import AlarmThresholds, Deployment
from singletable.schema import Table

Direction: TypeAlias = Literal["Read", "Write"]

_DIRECTIONS: tuple[Direction, Direction] = ("Read", "Write")
_MINUTE = 60
# DynamoDB publishes provisioned capacity and account metrics every five minutes.
_FIVE_MINUTES = 300


@dataclass(frozen=True, slots=True)
class Metric:
    """A DynamoDB metric of a table or of the account, optionally of one index or operation."""

    name: str
    statistic: Literal["Sum", "Average", "Maximum", "p99"]
    per_table: bool = True
    index: str | None = None
    operation: str | None = None


@dataclass(frozen=True, slots=True)
class CapacityUtilization:
    """Consumed capacity as a percentage of the provisioned capacity of a table or index."""

    direction: Direction
    index: str | None = None

    @property
    def consumed(self) -> Metric:
        """The units consumed in a period."""
        return Metric(f"Consumed{self.direction}CapacityUnits", "Sum", index=self.index)

    @property
    def provisioned(self) -> Metric:
        """The units provisioned per second."""
        return Metric(f"Provisioned{self.direction}CapacityUnits", "Average", index=self.index)

    @property
    def expression(self) -> str:
        """The percentage in CloudWatch metric math."""
        return "100 * consumed / PERIOD(consumed) / provisioned"


@dataclass(frozen=True, slots=True)
class Alarm:
    """An alarm that fires when `metric` reaches `threshold` in `breaches` of `periods` periods.

    `name` is unique within its table, such as "read throttles of by-level".
    """

    name: str
    description: str
    metric: Metric | CapacityUtilization
    threshold: int
    period_seconds: int
    periods: int
    breaches: int


def table_alarms(table: Table, deployment: Deployment) -> list[Alarm]:
    """Return the alarms of one table and its global indexes."""
    thresholds = deployment.alarms
    if thresholds is None:
        return []
    indexes = [None, *(index.name for index in table.indexes if not index.local)]
    sides: list[tuple[Direction, str | None]] = [
        (direction, index) for index in indexes for direction in _DIRECTIONS
    ]
    alarms = [_throttles(thresholds, *side) for side in sides]
    alarms += [_latency(thresholds, operation) for operation in thresholds.operations]
    if deployment.capacity_of(table) is not None:
        alarms += [_capacity(thresholds, *side) for side in sides]
    return alarms


def account_alarms(tables: Sequence[Table], deployment: Deployment) -> list[Alarm]:
    """Return the alarms on metrics that DynamoDB publishes for the whole account."""
    thresholds = deployment.alarms
    if thresholds is None:
        return []
    alarms = [
        Alarm(
            "user errors",
            f"At least {thresholds.user_errors} requests were rejected within five minutes, in the "
            "whole account and region. Look for invalid requests or missing permissions.",
            Metric("UserErrors", "Sum", per_table=False),
            thresholds.user_errors,
            _FIVE_MINUTES,
            periods=1,
            breaches=1,
        )
    ]
    if any(deployment.capacity_of(table) is not None for table in tables):
        alarms += [_account_capacity(thresholds, direction) for direction in _DIRECTIONS]
    return alarms


def _throttles(thresholds: AlarmThresholds, direction: Direction, index: str | None) -> Alarm:
    return Alarm(
        f"{direction.lower()} throttles{_of(index)}",
        f"{direction}s{_of(index)} were throttled in three of five minutes. The load exceeds the "
        "capacity, or one partition is hot.",
        Metric(f"{direction}ThrottleEvents", "Sum", index=index),
        thresholds.throttled_events,
        _MINUTE,
        periods=5,
        breaches=3,
    )


def _latency(thresholds: AlarmThresholds, operation: str) -> Alarm:
    return Alarm(
        f"latency of {operation}",
        f"The p99 latency of {operation} was at least {thresholds.latency_ms} ms for five minutes.",
        Metric("SuccessfulRequestLatency", "p99", operation=operation),
        thresholds.latency_ms,
        _MINUTE,
        periods=5,
        breaches=5,
    )


def _capacity(thresholds: AlarmThresholds, direction: Direction, index: str | None) -> Alarm:
    return Alarm(
        f"{direction.lower()} capacity{_of(index)}",
        f"At least {thresholds.capacity_percent} percent of the provisioned {direction.lower()} "
        f"capacity{_of(index)} was consumed for ten minutes.",
        CapacityUtilization(direction, index),
        thresholds.capacity_percent,
        _FIVE_MINUTES,
        periods=2,
        breaches=2,
    )


def _account_capacity(thresholds: AlarmThresholds, direction: Direction) -> Alarm:
    return Alarm(
        f"account {direction.lower()} capacity",
        f"At least {thresholds.capacity_percent} percent of the account's {direction.lower()} "
        "capacity quota is provisioned. Request a higher quota.",
        Metric(f"AccountProvisioned{direction}CapacityUtilization", "Maximum", per_table=False),
        thresholds.capacity_percent,
        _FIVE_MINUTES,
        periods=1,
        breaches=1,
    )


def _of(index: str | None) -> str:
    return "" if index is None else f" of {index}"
