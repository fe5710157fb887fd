"""CloudWatch alarms for tables and for the account.

Without a plan of the table, thresholds are fixed. With one, they follow from it, with lower bounds
that suit a table with little traffic: ten throttles or a hundred user errors in five
minutes, and ten units per second. A scan or a bulk load may consume its units within 15 minutes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from singletable.schema import Table
from singletable_design.infrastructure.deployment import AlarmThresholds, Deployment
from singletable_design.infrastructure.planned_load import (
    DIRECTIONS,
    Direction,
    PlannedLoad,
    PlannedUse,
    format_rate,
    table_sides,
)

_MINUTE = 60
# DynamoDB publishes provisioned capacity and account metrics every five minutes.
_FIVE_MINUTES = 300
# How long more units than planned are consumed before an alarm fires.
UNITS_SECONDS = 900
# The units per second of an on-demand table or index, unless AWS raised the quota.
TABLE_QUOTA = 40_000


Statistic: TypeAlias = Literal["Sum", "Average", "Maximum", "p99"]


@dataclass(frozen=True, slots=True)
class Metric:
    """A DynamoDB metric of a table or of the account, optionally of one index or operation."""

    name: str
    statistic: Statistic
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


@dataclass(frozen=True, slots=True)
class _Row:
    """An alarm in words: its name, its metric, when it fires, and its description.

    `{direction}` is Read or Write, `{kind}` read or write, `{of}` names an index, `{resource}` the
    table or index, and `{plan}` says what is planned.
    """

    name: str
    metric: str
    period_seconds: int
    breaches: int
    periods: int
    description: str
    statistic: Statistic = "Sum"
    per_table: bool = True

    def alarm(
        self,
        threshold: int,
        direction: Direction = "Read",
        index: str | None = None,
        operation: str | None = None,
        **words: object,
    ) -> Alarm:
        """Return the alarm of a table, an index or an operation."""
        of = "" if index is None else f" of {index}"
        kind = direction.lower()
        words |= {"direction": direction, "kind": kind, "of": of, "operation": operation}
        words["threshold"] = threshold
        metric: Metric | CapacityUtilization = CapacityUtilization(direction, index)
        if self.metric:
            name = self.metric.format(**words)
            metric = Metric(name, self.statistic, self.per_table, index, operation)
        return Alarm(
            self.name.format(**words),
            self.description.format(**words),
            metric,
            threshold,
            self.period_seconds,
            self.periods,
            self.breaches,
        )


_THROTTLES = _Row(
    "{kind} throttles{of}", "{direction}ThrottleEvents", _MINUTE, 3, 5,
    "{direction}s{of} were throttled in three of five minutes. The load exceeds the capacity, or "
    "one partition is hot.",
)  # fmt: skip
_PLANNED_THROTTLES = _Row(
    "{kind} throttles{of}", "{direction}ThrottleEvents", _FIVE_MINUTES, 1, 1,
    "At least {threshold:,} {kind}s of {resource} were throttled within five minutes. {plan} "
    "First: compare the consumed units with the plan. If they are above it, find the access "
    "pattern with too many calls; if not, look for a hot partition.",
)  # fmt: skip
_HOT_PARTITION = _Row(
    "hot partition by {kind}s{of}", "{direction}KeyRangeThroughputThrottleEvents", _MINUTE, 3, 5,
    "One partition of {resource} was throttled in three of five minutes, because it got more than "
    "{limit} units a second. {plan} First: find the key with CloudWatch Contributor Insights for "
    "DynamoDB, then spread it over shards or cache its items. More capacity does not help.",
)  # fmt: skip
_MAX_THROUGHPUT = _Row(
    "maximum {kind} throughput{of}", "{direction}MaxOnDemandThroughputThrottleEvents",
    _MINUTE, 3, 5,
    "{direction}s of {resource} were throttled in three of five minutes, because they exceed the "
    "maximum that is set for it: {maximum:,} {kind} units a second. {plan} First: find the access "
    "pattern that consumes more than planned. If the load is real, raise the maximum.",
)  # fmt: skip
# Only the bill limits an on-demand table.
_UNITS = _Row(
    "{kind} units{of}", "Consumed{direction}CapacityUnits", _FIVE_MINUTES, 3, 3,
    "At least {units} of {resource} were consumed for 15 minutes. {plan} First: find the access "
    "pattern that consumes more than planned, such as a retry loop or a query without a limit. If "
    "the load is real, declare the new rate and generate the alarms again.",
)  # fmt: skip
_CAPACITY = _Row(
    "{kind} capacity{of}", "", _FIVE_MINUTES, 2, 2,
    "At least {threshold} percent of the provisioned {kind} capacity{of} was consumed for ten "
    "minutes.{plan}",
)  # fmt: skip
_CAPACITY_PLAN = (
    " {plan} First: check whether auto scaling has reached its maximum. If the load is real, raise "
    "the capacity; if not, find the access pattern that consumes more than planned."
)
_LATENCY = _Row(
    "latency of {operation}", "SuccessfulRequestLatency", _MINUTE, 5, 5,
    "The p99 latency of {operation} was at least {threshold} ms for five minutes.{plan} First: "
    "look for large items and large pages.",
    statistic="p99",
)  # fmt: skip
_USER_ERRORS = _Row(
    "user errors", "UserErrors", _FIVE_MINUTES, 1, 1,
    "At least {threshold:,} requests were rejected within five minutes, in the whole account and "
    "region.{plan} First: look for invalid requests or missing permissions.",
    per_table=False,
)  # fmt: skip
_ACCOUNT_CAPACITY = _Row(
    "account {kind} capacity", "AccountProvisioned{direction}CapacityUtilization",
    _FIVE_MINUTES, 1, 1,
    "At least {threshold} percent of the account's {kind} capacity quota is provisioned. Request a "
    "higher quota.",
    statistic="Maximum",
    per_table=False,
)  # fmt: skip


def table_alarms(table: Table, deployment: Deployment) -> list[Alarm]:
    """Return the alarms of one table and its global indexes."""
    thresholds = deployment.alarms
    if thresholds is None:
        return []
    sides = table_sides(table)
    provisioned = deployment.capacity_of(table) is not None
    planned, limit, plan = deployment.planned, thresholds.latency_ms, ""
    alarms: list[Alarm] = []
    if planned is None or not planned.covers(table.name):
        events, percent = thresholds.throttled_events, thresholds.capacity_percent
        alarms += [_THROTTLES.alarm(events, *side) for side in sides]
        operations = thresholds.operations
        capacity = [_CAPACITY.alarm(percent, *side, plan="") for side in sides if provisioned]
    else:
        for direction, index in sides:
            alarms += _planned_alarms(table, deployment, thresholds, planned, direction, index)
        operations, plan = planned.operations.get(table.name, ()), f" Planned: below {limit} ms."
        capacity = []
    latency = [_LATENCY.alarm(limit, operation=operation, plan=plan) for operation in operations]
    return [*alarms, *latency, *capacity]


def _planned_alarms(
    table: Table,
    deployment: Deployment,
    thresholds: AlarmThresholds,
    planned: PlannedLoad,
    direction: Direction,
    index: str | None,
) -> Iterator[Alarm]:
    """Yield the alarms of the reads or the writes of a table or index, with their planned use."""
    kind, name, use = direction.lower(), deployment.name(table), planned.use(table.name, index)
    peak, events = use.units(direction), thresholds.throttled_events
    plan = f"Planned: at most {format_rate(peak, f'{kind} unit')}."
    plan = plan if peak else f"Planned: no {kind}s."
    words = {"resource": name if index is None else f"index {index} of {name}", "plan": plan}
    throttles = planned_throttles(thresholds, use.requests(direction))
    yield _PLANNED_THROTTLES.alarm(throttles, direction, index, **words)
    limit = "3,000 read" if direction == "Read" else "1,000 write"
    yield _HOT_PARTITION.alarm(events, direction, index, **words, limit=limit)
    maximum = max_units(deployment, table, index, direction)
    if maximum is not None:
        yield _MAX_THROUGHPUT.alarm(events, direction, index, **words, maximum=maximum)
    if deployment.capacity_of(table) is not None:
        plan = _CAPACITY_PLAN.format(**words)
        yield _CAPACITY.alarm(thresholds.capacity_percent, direction, index, plan=plan)
        return
    most = planned_units(thresholds, use, direction)
    rate = format_rate(most, f"{kind} unit")
    yield _UNITS.alarm(math.ceil(most * _FIVE_MINUTES), direction, index, **words, units=rate)


def account_alarms(tables: Sequence[Table], deployment: Deployment) -> list[Alarm]:
    """Return the alarms on metrics that DynamoDB publishes for the whole account."""
    thresholds = deployment.alarms
    if thresholds is None:
        return []
    planned, errors, plan = deployment.planned, thresholds.user_errors, ""
    if planned is not None:
        errors = planned_user_errors(thresholds, planned.requests)
        plan = f" Planned: at most {format_rate(planned.requests, 'request')} to these tables."
    alarms = [_USER_ERRORS.alarm(errors, plan=plan)]
    if any(deployment.capacity_of(table) is not None for table in tables):
        percent = thresholds.capacity_percent
        alarms += [_ACCOUNT_CAPACITY.alarm(percent, direction) for direction in DIRECTIONS]
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
