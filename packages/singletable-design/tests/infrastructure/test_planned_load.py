"""Alarms, the dashboard and the budget follow from the plan of a design."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any, cast

import pytest

from singletable import DeclarationError, Provisioned
from singletable.prices import region_prices
from singletable_design import planning
from singletable_design.infrastructure import (
    AlarmThresholds,
    Deployment,
    PlannedLoad,
    PlannedUse,
    planned_cost,
    planned_load,
    render_terraform,
)
from singletable_design.infrastructure.alarms import Alarm, Metric, account_alarms, table_alarms
from singletable_design.infrastructure.planned_load import format_rate
from tests.designs.rated_shop import catalog, shop
from tests.infrastructure.declarations import ALL, digests, votes
from tests.infrastructure.deployments import DEPLOYMENTS, PLANNED, of_type, template

PLAN = planning.create_plan([catalog])
LOAD = planned_load(PLAN, monthly_cost=99.5)


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
    load = planned_load(PLAN, hot_keys=planning.hot_keys(planning.workload_of([catalog])))
    found = alarms(load)
    key = load.hottest["shop", "by-day", "Read"]
    assert key.template == "DAY#{day}"
    assert (
        "for the hottest key, DAY#{day}." in found["hot partition by reads of by-day"].description
    )
    assert "hottest key" not in alarms(LOAD)["hot partition by reads of by-day"].description
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


def test_budget_is_the_planned_cost_and_a_fifth() -> None:
    resources = template([shop], Deployment(planned=LOAD, tags={"team": "shop"}))["Resources"]
    (budget,) = of_type(resources, "AWS::Budgets::Budget")
    assert budget["Budget"]["BudgetLimit"] == {"Amount": 120, "Unit": "USD"}
    assert budget["Budget"]["CostFilters"] == {
        "Service": ["Amazon DynamoDB"],
        "TagKeyValue": ["user:team$shop"],
    }
    for without in (
        Deployment(planned=replace(LOAD, monthly_cost=None)),
        Deployment(planned=LOAD, alarms=None),
    ):
        resources = template([shop], without)["Resources"]
        assert of_type(resources, "AWS::Budgets::Budget") == []
        assert len(of_type(resources, "AWS::CloudWatch::Dashboard")) == 1


# 101 read and 6 write units a second on average, of which the index has its share.
def test_cost_is_that_of_the_deployment() -> None:
    prices = region_prices()
    cost = planned_cost(PLAN, [shop], Deployment(recovery_days=None), prices)
    expected = planning.monthly_cost(planning.loads_of(PLAN), prices, "on-demand").cost
    assert cost == pytest.approx(expected)
    assert cost > 1
    scaled = planned_cost(PLAN, [shop], Deployment(capacity=Provisioned(5, 5)), prices)
    fixed = Deployment(capacity=Provisioned(5, 5), scaling=None)
    assert scaled < planned_cost(PLAN, [shop], fixed, prices)
    assert planned_cost(PLAN, [votes], Deployment(), prices) == 0


def dashboard(load: PlannedLoad, **options: Any) -> list[dict[str, Any]]:
    """Return the widgets of the dashboard."""
    resources = template([shop], Deployment(planned=load, **options))["Resources"]
    (properties,) = of_type(resources, "AWS::CloudWatch::Dashboard")
    assert re.fullmatch("[A-Za-z0-9_-]+", properties["DashboardName"])
    widgets: list[dict[str, Any]] = json.loads(properties["DashboardBody"]["Fn::Sub"])["widgets"]
    return widgets


def test_dashboard_shows_consumed_and_planned_units() -> None:
    graphs = {one["properties"].get("title"): one["properties"] for one in dashboard(LOAD)}
    graph = graphs["shop of by-day: read units a second"]
    assert graph["region"] == "${AWS::Region}"
    assert graph["annotations"]["horizontal"][0] == {
        "label": "planned peak",
        "value": LOAD.use("shop", "by-day").read_units,
    }
    assert graph["metrics"][1][:6] == [
        "AWS/DynamoDB",
        "ConsumedReadCapacityUnits",
        "TableName",
        "shop",
        "GlobalSecondaryIndexName",
        "by-day",
    ]
    provisioned = dashboard(LOAD, capacity=Provisioned(5, 5))
    assert any("ProvisionedReadCapacityUnits" in json.dumps(one) for one in provisioned)


def test_dashboard_panels_do_not_overlap() -> None:
    taken: set[tuple[int, int]] = set()
    for one in dashboard(LOAD):
        assert one["x"] + one["width"] <= 24
        cells = {
            (x, y)
            for x in range(one["x"], one["x"] + one["width"])
            for y in range(one["y"], one["y"] + one["height"])
        }
        assert not cells & taken
        taken |= cells


# Metrics and their statistics, from the documentation of DynamoDB.
STATISTICS = {
    "ConditionalCheckFailedRequests": "Sum",
    "ConsumedReadCapacityUnits": "Sum",
    "ConsumedWriteCapacityUnits": "Sum",
    "ProvisionedReadCapacityUnits": "Average",
    "ProvisionedWriteCapacityUnits": "Average",
    "ReadKeyRangeThroughputThrottleEvents": "Sum",
    "ReadThrottleEvents": "Sum",
    "ReturnedItemCount": "Average",
    "SuccessfulRequestLatency": "p99",
    "SystemErrors": "Sum",
    "TimeToLiveDeletedItemCount": "Sum",
    "TransactionConflict": "Sum",
    "UserErrors": "Sum",
    "WriteKeyRangeThroughputThrottleEvents": "Sum",
    "WriteThrottleEvents": "Sum",
}
WITH_OPERATION = {"ReturnedItemCount", "SuccessfulRequestLatency", "SystemErrors"}


def test_dashboard_uses_metrics_as_dynamodb_publishes_them() -> None:
    seen: set[str] = set()
    for one in [*dashboard(LOAD), *dashboard(LOAD, capacity=Provisioned(5, 5))]:
        for namespace, *rest in one["properties"].get("metrics", ()):
            if isinstance(namespace, dict):
                continue
            name, *dimensions, options = rest
            seen.add(name)
            assert options["stat"] == STATISTICS[name]
            assert ("Operation" in dimensions) == (name in WITH_OPERATION)
            assert ("TableName" in dimensions) == (name != "UserErrors")
    assert seen == set(STATISTICS)


def test_terraform_has_the_same_dashboard_and_budget() -> None:
    text = render_terraform(ALL, DEPLOYMENTS["planned"])
    resources = template(ALL, DEPLOYMENTS["planned"])["Resources"]
    body = re.search(r"dashboard_body = jsonencode\((.*?)\n  }\)", text, re.DOTALL)
    assert body
    expression = body[1].replace("data.aws_region.current.region", '"${AWS::Region}"') + "}"
    (properties,) = of_type(resources, "AWS::CloudWatch::Dashboard")
    assert json.loads(expression) == json.loads(properties["DashboardBody"]["Fn::Sub"])
    assert 'data "aws_region" "current" {' in text
    (budget,) = of_type(resources, "AWS::Budgets::Budget")
    assert f'limit_amount = "{budget["Budget"]["BudgetLimit"]["Amount"]}"' in text


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
