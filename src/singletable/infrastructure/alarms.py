"""Which alarms a table has, and which the account."""

from __future__ import annotations

from singletable.infrastructure.alarm import Alarm, Direction, Metric, Share
from singletable.infrastructure.deployment import AlarmLimits, Deployment
from singletable.schema import Table

_DIRECTIONS: tuple[Direction, Direction] = ("Read", "Write")
_MINUTE = 60
# CloudWatch gets what is provisioned, and what an account has, every five minutes.
_FIVE_MINUTES = 300


def table_alarms(table: Table, deployment: Deployment) -> list[Alarm]:
    """The alarms of one table and its indexes."""
    limits = deployment.alarms
    if limits is None:
        return []
    indexes = [None, *(index.name for index in table.indexes if not index.local)]
    alarms = [_throttles(limits, way, index) for index in indexes for way in _DIRECTIONS]
    alarms += [_latency(limits, operation) for operation in limits.operations]
    if deployment.capacity_of(table) is not None:
        alarms += [_capacity(limits, way, index) for index in indexes for way in _DIRECTIONS]
    return alarms


def account_alarms(tables: list[Table], deployment: Deployment) -> list[Alarm]:
    """The alarms about what DynamoDB counts for the account as a whole."""
    limits = deployment.alarms
    if limits is None:
        return []
    alarms = [
        Alarm(
            "user errors",
            f"{limits.user_errors} requests or more were refused in five minutes. DynamoDB counts "
            "them for the whole account and region: a wrong request, or missing permission.",
            Metric("UserErrors", "Sum", of_table=False),
            limits.user_errors,
            _FIVE_MINUTES,
            periods=1,
            breaches=1,
        )
    ]
    if any(deployment.capacity_of(table) is not None for table in tables):
        alarms += [_account_limit(limits, way) for way in _DIRECTIONS]
    return alarms


def _throttles(limits: AlarmLimits, way: Direction, index: str | None) -> Alarm:
    return Alarm(
        f"{way.lower()} throttles{_of(index)}",
        f"{way}s{_of(index)} were throttled in three of five minutes: too much for its capacity, "
        "or for one partition.",
        Metric(f"{way}ThrottleEvents", "Sum", index=index),
        limits.throttled_events,
        _MINUTE,
        periods=5,
        breaches=3,
    )


def _latency(limits: AlarmLimits, operation: str) -> Alarm:
    return Alarm(
        f"latency of {operation}",
        f"One in a hundred {operation} requests took {limits.latency_ms} ms or longer, for five "
        "minutes.",
        Metric("SuccessfulRequestLatency", "p99", operation=operation),
        limits.latency_ms,
        _MINUTE,
        periods=5,
        breaches=5,
    )


def _capacity(limits: AlarmLimits, way: Direction, index: str | None) -> Alarm:
    return Alarm(
        f"{way.lower()} capacity{_of(index)}",
        f"{limits.capacity_percent} percent or more of the provisioned {way.lower()} capacity"
        f"{_of(index)} were consumed for ten minutes.",
        Share(way, index),
        limits.capacity_percent,
        _FIVE_MINUTES,
        periods=2,
        breaches=2,
    )


def _account_limit(limits: AlarmLimits, way: Direction) -> Alarm:
    return Alarm(
        f"account {way.lower()} capacity",
        f"{limits.capacity_percent} percent or more of the {way.lower()} capacity that the account "
        "may provision are provisioned. Ask AWS for a higher quota in time.",
        Metric(f"AccountProvisioned{way}CapacityUtilization", "Maximum", of_table=False),
        limits.capacity_percent,
        _FIVE_MINUTES,
        periods=1,
        breaches=1,
    )


def _of(index: str | None) -> str:
    return "" if index is None else f" of {index}"
