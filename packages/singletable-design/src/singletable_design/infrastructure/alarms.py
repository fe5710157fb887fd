"""CloudWatch alarms for tables and for the account.

Without a plan of the table, thresholds are fixed. With one, they follow from it, but are never
below those that suit a table with little traffic: ten throttles or a hundred user errors in five
minutes, and ten units per second. A scan or a bulk load may consume its units within 15 minutes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from singletable.schema import Table
from singletable_design.infrastructure.deployment import AlarmThresholds, Deployment
from singletable_design.infrastructure.planned_load import (
    DIRECTIONS,
    Direction,
    PlannedKey,
    PlannedLoad,
    PlannedUse,
    format_rate,
)

_MINUTE = 60
# DynamoDB publishes provisioned capacity and account metrics every five minutes.
_FIVE_MINUTES = 300
# How long more units than planned are consumed before an alarm fires.
UNITS_SECONDS = 900
# The units per second of an on-demand table or index, unless AWS raised the quota.
TABLE_QUOTA = 40_000


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
        (direction, index) for index in indexes for direction in DIRECTIONS
    ]
    provisioned = deployment.capacity_of(table) is not None
    planned = deployment.planned
    alarms: list[Alarm] = []
    if planned is None or not planned.covers(table.name):
        alarms += [_throttles(thresholds, *side) for side in sides]
        alarms += [_latency(thresholds, operation) for operation in thresholds.operations]
        return alarms + [_capacity(thresholds, *side) for side in sides if provisioned]
    name = deployment.name(table)
    for direction, index in sides:
        resource = name if index is None else f"index {index} of {name}"
        side = _PlannedSide(
            thresholds,
            direction,
            index,
            resource,
            planned.use(table.name, index),
            planned.hottest.get((table.name, index, direction)),
        )
        alarms += [side.throttles(), side.hot_partition()]
        maximum = max_units(deployment, table, index, direction)
        if maximum is not None:
            alarms.append(side.max_throughput(maximum))
        alarms.append(side.capacity() if provisioned else side.units())
    return alarms + [
        _latency(thresholds, operation, f" Planned: below {thresholds.latency_ms} ms.")
        for operation in planned.operations.get(table.name, ())
    ]


def account_alarms(tables: Sequence[Table], deployment: Deployment) -> list[Alarm]:
    """Return the alarms on metrics that DynamoDB publishes for the whole account."""
    thresholds = deployment.alarms
    if thresholds is None:
        return []
    alarms = [_user_errors(thresholds, deployment.planned)]
    if any(deployment.capacity_of(table) is not None for table in tables):
        alarms += [_account_capacity(thresholds, direction) for direction in DIRECTIONS]
    return alarms


def planned_throttles(thresholds: AlarmThresholds, requests: float) -> int:
    """Return the throttles in five minutes that are too many for these requests per second."""
    share = thresholds.throttled_percent / 100
    return max(thresholds.least_throttled, math.ceil(share * requests * _FIVE_MINUTES))


def planned_user_errors(thresholds: AlarmThresholds, requests: float) -> int:
    """Return the user errors in five minutes that are too many for these requests per second."""
    share = thresholds.user_error_percent / 100
    return max(thresholds.user_errors, math.ceil(share * requests * _FIVE_MINUTES))


def planned_units(thresholds: AlarmThresholds, use: PlannedUse, direction: Direction) -> float:
    """Return the units per second that are too many for 15 minutes."""
    units = max(thresholds.least_units, thresholds.peak_factor * use.units(direction))
    return units + use.bulk_units(direction) / UNITS_SECONDS


def max_units(
    deployment: Deployment, table: Table, index: str | None, direction: Direction
) -> int | None:
    """Return the maximum units per second to set for an on-demand table or index, or None."""
    planned, factor = deployment.planned, deployment.max_throughput
    if planned is None or factor is None or deployment.capacity_of(table) is not None:
        return None
    if not planned.covers(table.name):
        return None
    thresholds = replace(deployment.alarms or AlarmThresholds(), peak_factor=factor)
    use = planned.use(table.name, index)
    units = math.ceil(planned_units(thresholds, use, direction))
    # DynamoDB rejects a maximum that is not below the quota, which is the limit then.
    return units if units < TABLE_QUOTA else None


@dataclass(frozen=True, slots=True)
class _PlannedSide:
    """The reads or the writes of a table or index, with their planned use."""

    thresholds: AlarmThresholds
    direction: Direction
    index: str | None
    resource: str
    use: PlannedUse
    hottest: PlannedKey | None

    @property
    def _kind(self) -> str:
        return self.direction.lower()

    @property
    def _plan(self) -> str:
        units = self.use.units(self.direction)
        if not units:
            return f"Planned: no {self._kind}s."
        return f"Planned: at most {format_rate(units, f'{self._kind} unit')}."

    def throttles(self) -> Alarm:
        requests = self.use.requests(self.direction)
        threshold = planned_throttles(self.thresholds, requests)
        return Alarm(
            f"{self._kind} throttles{_of(self.index)}",
            f"At least {threshold:,} {self._kind}s of {self.resource} were throttled within five "
            f"minutes. {self._plan} First: compare the consumed units with the plan on the "
            "dashboard. If they are above it, find the access pattern with too many calls; if not, "
            "look for a hot partition.",
            Metric(f"{self.direction}ThrottleEvents", "Sum", index=self.index),
            threshold,
            _FIVE_MINUTES,
            periods=1,
            breaches=1,
        )

    def hot_partition(self) -> Alarm:
        limit = "3,000 read" if self.direction == "Read" else "1,000 write"
        plan = self._plan
        if self.hottest is not None:
            units = format_rate(self.hottest.units, f"{self._kind} unit")
            plan = f"Planned: at most {units} for the hottest key, {self.hottest.template}."
        return Alarm(
            f"hot partition by {self._kind}s{_of(self.index)}",
            f"One partition of {self.resource} was throttled in three of five minutes, because it "
            f"got more than {limit} units a second. {plan} First: find the key with "
            "CloudWatch Contributor Insights for DynamoDB, then spread it over shards or cache its "
            "items. More capacity does not help.",
            Metric(f"{self.direction}KeyRangeThroughputThrottleEvents", "Sum", index=self.index),
            self.thresholds.throttled_events,
            _MINUTE,
            periods=5,
            breaches=3,
        )

    def max_throughput(self, maximum: int) -> Alarm:
        return Alarm(
            f"maximum {self._kind} throughput{_of(self.index)}",
            f"{self.direction}s of {self.resource} were throttled in three of five minutes, "
            f"because they exceed the maximum that is set for it: {maximum:,} {self._kind} units a "
            f"second. {self._plan} First: find the access pattern that consumes more than planned. "
            "If the load is real, raise the maximum.",
            Metric(f"{self.direction}MaxOnDemandThroughputThrottleEvents", "Sum", index=self.index),
            self.thresholds.throttled_events,
            _MINUTE,
            periods=5,
            breaches=3,
        )

    def units(self) -> Alarm:
        """Return the alarm on consumed units: only the bill limits an on-demand table."""
        units = planned_units(self.thresholds, self.use, self.direction)
        return Alarm(
            f"{self._kind} units{_of(self.index)}",
            f"At least {format_rate(units, f'{self._kind} unit')} of {self.resource} were consumed "
            f"for 15 minutes. {self._plan} First: find the access pattern that consumes "
            "more than planned, such as a retry loop or a query without a limit. If the load is "
            "real, declare the new rate and generate the alarms again.",
            Metric(f"Consumed{self.direction}CapacityUnits", "Sum", index=self.index),
            math.ceil(units * _FIVE_MINUTES),
            _FIVE_MINUTES,
            periods=3,
            breaches=3,
        )

    def capacity(self) -> Alarm:
        return _capacity(
            self.thresholds,
            self.direction,
            self.index,
            f" {self._plan} First: check whether auto scaling has reached its maximum. If the load "
            "is real, raise the capacity; if not, find the access pattern that consumes more than "
            "planned.",
        )


def _user_errors(thresholds: AlarmThresholds, planned: PlannedLoad | None) -> Alarm:
    threshold, plan = thresholds.user_errors, ""
    if planned is not None:
        threshold = planned_user_errors(thresholds, planned.requests)
        plan = f" Planned: at most {format_rate(planned.requests, 'request')} to these tables."
    return Alarm(
        "user errors",
        f"At least {threshold:,} requests were rejected within five minutes, in the whole account "
        f"and region.{plan} First: look for invalid requests or missing permissions.",
        Metric("UserErrors", "Sum", per_table=False),
        threshold,
        _FIVE_MINUTES,
        periods=1,
        breaches=1,
    )


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


def _latency(thresholds: AlarmThresholds, operation: str, plan: str = "") -> Alarm:
    return Alarm(
        f"latency of {operation}",
        f"The p99 latency of {operation} was at least {thresholds.latency_ms} ms for five minutes."
        f"{plan} First: look for large items and large pages.",
        Metric("SuccessfulRequestLatency", "p99", operation=operation),
        thresholds.latency_ms,
        _MINUTE,
        periods=5,
        breaches=5,
    )


def _capacity(
    thresholds: AlarmThresholds, direction: Direction, index: str | None, plan: str = ""
) -> Alarm:
    return Alarm(
        f"{direction.lower()} capacity{_of(index)}",
        f"At least {thresholds.capacity_percent} percent of the provisioned {direction.lower()} "
        f"capacity{_of(index)} was consumed for ten minutes.{plan}",
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
