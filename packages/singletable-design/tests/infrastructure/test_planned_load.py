"""Alarms and maximum throughput follow from the plan of a design."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest

from singletable import DeclarationError, Provisioned
from singletable_design import planning
from singletable_design.infrastructure import (
    AlarmThresholds,
    Deployment,
    PlannedLoad,
    PlannedUse,
    planned_load,
)
from singletable_design.infrastructure.alarms import Alarm, Metric, account_alarms, table_alarms
from singletable_design.infrastructure.planned_load import format_rate
from tests.designs.rated_shop import catalog, shop
from tests.infrastructure.deployments import PLANNED, template
from tools.testing.designs.table_shapes import digests, votes

PLAN = planning.create_plan([catalog])
LOAD = planned_load(PLAN)


def alarms(load: PlannedLoad, **options: Any) -> dict[str, Alarm]:
    deployment = Deployment(planned=load, **options)
    every = [*table_alarms(shop, deployment), *account_alarms([shop], deployment)]
    return {alarm.name: alarm for alarm in every}


def test_units_are_those_of_the_plan() -> None:
    table, by_day, by_status = PLAN.resources
    # CloudWatch counts a local index with its table.
    assert LOAD.use("shop", None).read_units == pytest.approx(table.read.peak + by_status.read.peak)
    assert LOAD.use("shop", None).write_units == pytest.approx(
        table.write.peak + by_status.write.peak
    )
    assert LOAD.use("shop", "by-day").read_units == by_day.read.peak > 0
    assert LOAD.use("shop", "by-day").write_units == by_day.write.peak > 0
    assert LOAD.use("elsewhere", None) == PlannedUse()


def test_only_operations_of_patterns_have_latency_alarms() -> None:
    assert LOAD.operations == {"shop": ("GetItem", "Query", "UpdateItem", "TransactWriteItems")}
    latency = [name for name in alarms(LOAD) if name.startswith("latency")]
    assert latency == [f"latency of {operation}" for operation in LOAD.operations["shop"]]


def test_on_demand_tables_have_alarms_above_twice_the_planned_peak() -> None:
    peak = LOAD.use("shop", "by-day").read_units
    alarm = alarms(LOAD)["read units of by-day"]
    assert alarm.metric == Metric("ConsumedReadCapacityUnits", "Sum", index="by-day")
    assert alarm.threshold == pytest.approx(2 * peak * alarm.period_seconds, abs=1)
    thrice = alarms(LOAD, alarms=AlarmThresholds(peak_factor=3))["read units of by-day"]
    assert thrice.threshold == pytest.approx(3 * peak * alarm.period_seconds, abs=1)


# The nightly copy reads in minutes what the plan spreads over a day.
def test_planned_scans_do_not_raise_alarms() -> None:
    use = LOAD.use("shop", None)
    assert use.bulk_read_units >= 50_000 * 250 / 4096 / 2
    alarm = alarms(LOAD)["read units"]
    periods = alarm.threshold * alarm.periods
    assert periods > use.read_units * alarm.period_seconds * alarm.periods + use.bulk_read_units


def test_little_traffic_does_not_raise_alarms() -> None:
    idle = replace(LOAD, uses={("shop", None): PlannedUse(0.001, 0, 0.001, 0)})
    found = alarms(idle)
    assert found["read units"].threshold == 10 * 300
    assert found["write units"].threshold == 10 * 300
    assert found["read throttles"].threshold == 10
    assert found["user errors"].threshold == 100
    assert "Planned: no writes." in found["write units"].description


def test_busy_tables_may_have_more_throttles_and_errors() -> None:
    busy = replace(LOAD, uses={("shop", None): PlannedUse(9_000, 0, 20_000, 0)})
    found = alarms(busy)
    assert found["read throttles"].threshold == 20_000 * 300 * 0.001
    assert found["user errors"].threshold == 20_000 * 300 * 0.01


def test_provisioned_tables_keep_the_alarm_on_utilization() -> None:
    found = alarms(LOAD, capacity=Provisioned(100, 50))
    assert "read units" not in found
    assert found["read capacity of by-day"].threshold == 80
    assert "Planned: at most" in found["read capacity of by-day"].description


def test_hot_partitions_have_an_alarm_of_their_own() -> None:
    found = alarms(LOAD)
    assert found["hot partition by writes of by-day"].metric == Metric(
        "WriteKeyRangeThroughputThrottleEvents", "Sum", index="by-day"
    )


def test_on_demand_tables_can_be_limited_to_a_multiple_of_the_plan() -> None:
    deployment = Deployment(planned=PLANNED, max_throughput=4)
    resources = template([votes, digests], deployment)["Resources"]
    table = resources["VoteData"]["Properties"]
    limit = {"MaxReadRequestUnits": 240, "MaxWriteRequestUnits": 480}
    assert table["OnDemandThroughput"] == limit
    (index,) = table["GlobalSecondaryIndexes"]
    assert index["OnDemandThroughput"] == {"MaxReadRequestUnits": 10, "MaxWriteRequestUnits": 160}
    assert "OnDemandThroughput" not in resources["Digests"]["Properties"]
    alarm = resources["VoteDataMaximumReadThroughputOfGSI1Alarm"]["Properties"]
    assert alarm["MetricName"] == "ReadMaxOnDemandThroughputThrottleEvents"
    # 80,000 would be above the quota of a table.
    busy = replace(PLANNED, uses={("vote_data", None): PlannedUse(20_000, 1, 20_000, 1)})
    resources = template([votes], Deployment(planned=busy, max_throughput=4))["Resources"]
    table = resources["VoteData"]["Properties"]
    assert table["OnDemandThroughput"] == {"MaxWriteRequestUnits": 10}


# CloudWatch accepts 1,024 characters.
def test_descriptions_say_what_was_planned_and_what_to_do_first() -> None:
    for options in ({}, {"capacity": Provisioned(100, 50)}):
        for alarm in table_alarms(shop, Deployment(planned=LOAD, **cast("Any", options))):
            assert "Planned: " in alarm.description
            assert "First: " in alarm.description
            assert len(alarm.description) < 1024


def test_planned_alarms_are_for_the_deployed_table() -> None:
    deployment = Deployment(planned=PLANNED, names={"vote_data": "vote_data-prod"})
    found = table_alarms(votes, deployment)
    assert "of index GSI-1 of vote_data-prod" in found[-4].description


def test_maximum_needs_a_plan_and_must_exceed_the_alarm() -> None:
    with pytest.raises(DeclarationError, match="there is no plan"):
        Deployment(max_throughput=4)
    with pytest.raises(DeclarationError, match="more than 2 times the planned peak"):
        Deployment(planned=LOAD, max_throughput=2)


def test_tables_without_patterns_keep_the_fixed_alarms() -> None:
    deployment = Deployment(planned=LOAD, max_throughput=4)
    assert table_alarms(votes, deployment) == table_alarms(votes, Deployment())
    table = template([shop, votes], deployment)["Resources"]["VoteData"]["Properties"]
    assert "OnDemandThroughput" not in table


def test_peak_factor_below_one_is_rejected() -> None:
    with pytest.raises(DeclarationError, match="peak_factor of at least 1"):
        AlarmThresholds(peak_factor=0.5)


@pytest.mark.parametrize(
    ("per_second", "text"),
    [
        (0, "0 calls a second"),
        (1, "1 call a second"),
        (12_345.6, "12,346 calls a second"),
        (1.25, "1.25 calls a second"),
        (0.5, "30 calls a minute"),
        (0.02, "1.2 calls a minute"),
        (1 / 86400, "1 call a day"),
        (1e-9, "8.64e-05 calls a day"),
    ],
)
def test_rates_are_written_in_a_period_that_suits_them(per_second: float, text: str) -> None:
    assert format_rate(per_second, "call") == text
