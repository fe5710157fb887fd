"""Which alarms there are, and what they measure."""

from __future__ import annotations

from singletable.infrastructure import Deployment
from singletable.infrastructure.alarm import Metric, Share
from singletable.infrastructure.alarms import account_alarms, table_alarms
from tests.infrastructure.declarations import digests, skills, votes


def test_a_table_and_each_global_index_are_watched_for_throttling() -> None:
    watched = [
        (alarm.measured.name, alarm.measured.index)
        for alarm in table_alarms(skills, Deployment())
        if isinstance(alarm.measured, Metric) and "Throttle" in alarm.measured.name
    ]
    assert watched == [
        (f"{way}ThrottleEvents", index)
        for index in (None, "by-level", "by-site")
        for way in ("Read", "Write")
    ]


def test_latency_is_that_of_the_slowest_in_a_hundred_of_each_operation() -> None:
    watched = [
        (alarm.measured.operation, alarm.measured.statistic, alarm.threshold)
        for alarm in table_alarms(votes, Deployment())
        if isinstance(alarm.measured, Metric) and alarm.measured.operation
    ]
    operations = ("GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem")
    assert watched == [(operation, "p99", 100) for operation in operations]


# On demand there is no share of anything to run out of.
def test_only_provisioned_capacity_can_be_used_up() -> None:
    def shares(deployment: Deployment) -> list[Share]:
        alarms = table_alarms(digests, deployment)
        return [alarm.measured for alarm in alarms if isinstance(alarm.measured, Share)]

    assert len(shares(Deployment())) == 4
    assert shares(Deployment(capacity="on-demand")) == []


# DynamoDB counts refused requests for the account: an alarm with a table's name would never ring.
def test_refused_requests_are_counted_for_the_account_alone() -> None:
    (alarm,) = account_alarms([votes], Deployment())
    assert alarm.measured == Metric("UserErrors", "Sum", of_table=False)
    assert len(account_alarms([votes, digests], Deployment())) == 3
    assert account_alarms([votes], Deployment(alarms=None)) == []


def test_each_alarm_has_a_name_of_its_own_and_fits_its_periods() -> None:
    alarms = [*table_alarms(digests, Deployment()), *account_alarms([digests], Deployment())]
    assert len({alarm.name for alarm in alarms}) == len(alarms)
    for alarm in alarms:
        assert 1 <= alarm.breaches <= alarm.periods
        assert alarm.seconds * alarm.periods <= 86_400
