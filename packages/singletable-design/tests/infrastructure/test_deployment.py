"""Deployment validation, table names and alarms."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from singletable import DeclarationError
from singletable.tables import CustomerKey, resolve_table_names
from singletable_design.infrastructure import Deployment, Scaling, render_cloudformation
from singletable_design.infrastructure.alarms import (
    CapacityUtilization,
    Metric,
    account_alarms,
    table_alarms,
)
from tools.testing.designs.table_shapes import digests, log, skills, votes


@pytest.mark.parametrize(
    ("create", "message"),
    [
        (lambda: Deployment(recovery_days=36), "expected 1 to 35, but got 36"),
        (lambda: Deployment(recovery_days=0), "Use None to turn recovery off"),
        (lambda: CustomerKey("alias/mine"), "'alias/mine' is not the ARN of a KMS key"),
        (lambda: CustomerKey("arn:aws:s3:::bucket"), "is not the ARN of a KMS key"),
        (lambda: Scaling(max_factor=0), "expected max_factor of at least 1"),
        (lambda: Scaling(target_percent=95), "from 20 to 90"),
        (
            lambda: render_cloudformation([votes], Deployment(names={"x": "y"})),
            "Cannot rename table 'x'",
        ),
        (
            lambda: resolve_table_names([votes, log], {"vote_data": "vote_event_log"}),
            "2 tables are named",
        ),
    ],
)
def test_invalid_deployment_is_rejected(create: Callable[[], object], message: str) -> None:
    with pytest.raises(DeclarationError, match=message):
        create()


def test_names_rename_deployed_tables() -> None:
    text = render_cloudformation([votes], Deployment(names={"vote_data": "vote_data-prod"}))
    assert '"TableName": "vote_data-prod"' in text


def test_tables_and_global_indexes_have_throttling_alarms() -> None:
    watched = [
        (alarm.metric.name, alarm.metric.index)
        for alarm in table_alarms(skills, Deployment())
        if isinstance(alarm.metric, Metric) and "Throttle" in alarm.metric.name
    ]
    assert watched == [
        (f"{way}ThrottleEvents", index)
        for index in (None, "by-level", "by-site")
        for way in ("Read", "Write")
    ]


def test_latency_alarms_use_p99_per_operation() -> None:
    watched = [
        (alarm.metric.operation, alarm.metric.statistic, alarm.threshold)
        for alarm in table_alarms(votes, Deployment())
        if isinstance(alarm.metric, Metric) and alarm.metric.operation
    ]
    operations = ("GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem")
    assert watched == [(operation, "p99", 100) for operation in operations]


# On-demand tables have no provisioned capacity.
def test_utilization_alarms_exist_for_provisioned_capacity_only() -> None:
    def shares(deployment: Deployment) -> list[CapacityUtilization]:
        alarms = table_alarms(digests, deployment)
        return [alarm.metric for alarm in alarms if isinstance(alarm.metric, CapacityUtilization)]

    assert len(shares(Deployment())) == 4
    assert shares(Deployment(capacity="on-demand")) == []


# UserErrors is an account metric: an alarm with a table dimension would never fire.
def test_user_error_alarm_is_per_account() -> None:
    (alarm,) = account_alarms([votes], Deployment())
    assert alarm.metric == Metric("UserErrors", "Sum", per_table=False)
    assert len(account_alarms([votes, digests], Deployment())) == 3
    assert account_alarms([votes], Deployment(alarms=None)) == []


def test_alarm_names_are_unique_and_periods_valid() -> None:
    alarms = [*table_alarms(digests, Deployment()), *account_alarms([digests], Deployment())]
    assert len({alarm.name for alarm in alarms}) == len(alarms)
    for alarm in alarms:
        assert 1 <= alarm.breaches <= alarm.periods
        assert alarm.period_seconds * alarm.periods <= 86_400
