"""Prometheus's rules and Grafana's dashboard use metrics that exist, and fire when they should.

The metrics are scraped from a real store and a real endpoint.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest
import yaml
from prometheus_client import CollectorRegistry, generate_latest

from dynamodb_engine.faults import AsyncFaultyDriver, Faults, FaultyDriver, Next
from dynamodb_engine.server import DynamoDBApp, Metrics, Observer
from dynamodb_engine.server.observe import Traffic
from singletable import AlreadyExists, AsyncEngine, Engine, Store
from singletable.errors import DeclarationError
from singletable.store import calls as store_calls
from singletable.telemetry import PrometheusObserver
from singletable_design.infrastructure import (
    Deployment,
    planned_load,
    render_grafana,
    render_prometheus,
)
from singletable_design.planning import create_plan
from tests.designs.rated_shop import (
    Customer,
    Order,
    catalog,
    customer,
    open_orders,
    orders_of_day,
    place,
    shop,
)
from tests.infrastructure.promql import Evaluation, Labels, read_scrape
from tests.server.app_client import BALLOT, KEY, VOTES, AppClient, get

DEPLOYMENT = Deployment(planned=planned_load(create_plan([catalog])))


@pytest.fixture(scope="module", autouse=True)
def quick_calls() -> Iterator[None]:
    """Let each call take a millisecond, however busy the machine is."""
    milliseconds = count()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store_calls, "perf_counter", lambda: next(milliseconds) / 1000)
        yield


class Shop:
    """A store with metrics, and calls of its patterns."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.driver = FaultyDriver(Engine.in_memory(), Faults())
        self.store = Store(
            self.driver, observers=[PrometheusObserver(catalog, registry=self.registry)]
        )
        self.store.admin.create_table(shop)
        self.store.put(Customer(name="ada"))  # undeclared

    def call_all(self) -> None:
        """Make one call of each pattern, one that is retried, and one that fails."""
        self.store.get(customer("ada"))
        list(self.store.query(orders_of_day("monday")))
        list(self.store.query(open_orders("ada")))
        self.store.update(Customer.key("ada"), Customer.orders.set(1))
        with self.store.transaction(pattern=place) as transaction:
            transaction.create(Order(customer="ada", number=1, day="monday"))
            transaction.update(Customer.key("ada"), Customer.orders.add(1))
        list(self.store.admin.scan(Order))
        self.driver.faults = Faults(throttle=Next(1))
        self.store.get(customer("ada"))
        with pytest.raises(AlreadyExists):
            self.store.create(Customer(name="ada"))

    def scrape(self) -> dict[tuple[str, Labels], float]:
        return read_scrape(generate_latest(self.registry).decode())


def scrape_endpoint() -> dict[tuple[str, Labels], float]:
    """Return the metrics of an endpoint with a success, an error and a throttled request."""
    observer = Observer(Metrics())
    observer.traffic = Traffic()  # as the listener of the command does
    with Engine.in_memory() as engine:
        driver = AsyncFaultyDriver(AsyncEngine(engine), Faults())
        client = AppClient(DynamoDBApp(driver, observer=observer))
        client.output("CreateTable", VOTES)
        client.output("PutItem", {"TableName": "votes", "Item": BALLOT})
        client.output("GetItem", {"TableName": "votes", "Key": KEY})
        client.call("GetItem", {"TableName": "nowhere", "Key": KEY})
        driver.faults = Faults(throttle=Next(1))
        client.call("GetItem", {"TableName": "votes", "Key": KEY})
        return read_scrape(client.send(get("/metrics")).body.decode())


@pytest.fixture(scope="module")
def scraped() -> dict[tuple[str, Labels], float]:
    used = Shop()
    used.call_all()
    return {**used.scrape(), **scrape_endpoint()}


@pytest.fixture(scope="module")
def rules() -> list[dict[str, Any]]:
    groups = yaml.safe_load(render_prometheus([shop], DEPLOYMENT))["groups"]
    return [rule for group in groups for rule in group["rules"]]


def test_rules_have_the_format_of_prometheus() -> None:
    text = render_prometheus([shop], DEPLOYMENT, job="web's")
    document = yaml.safe_load(text)
    assert set(document) == {"groups"}
    names = [group["name"] for group in document["groups"]]
    assert len(set(names)) == len(names), "Prometheus rejects a repeated group"
    for group in document["groups"]:
        assert set(group) == {"name", "rules"}
        for rule in group["rules"]:
            assert set(rule) - {"for"} == {"alert", "expr", "labels", "annotations"}
            assert re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_]*", rule["alert"])
            assert re.fullmatch(r"\d+m", rule.get("for", "1m"))
            assert all(isinstance(value, str) for value in rule["labels"].values())
            assert set(rule["annotations"]) == {"summary", "description"}
            if "endpoint" not in group["name"]:
                assert 'job="web\'s"' in rule["expr"]


def test_each_rule_is_unique(rules: list[dict[str, Any]]) -> None:
    keys = [(rule["alert"], tuple(sorted(rule["labels"].items()))) for rule in rules]
    assert len(set(keys)) == len(keys)


# An annotation is a template: a description with braces must stay text.
def test_descriptions_are_not_templates(rules: list[dict[str, Any]]) -> None:
    (summary,) = {
        rule["annotations"]["summary"]
        for rule in rules
        if rule["labels"].get("pattern") == "shop:W1"
    }
    assert summary.startswith('shop:W1 (Count {{ "{{" }}orders}})')


def test_rules_use_exported_metrics_and_labels(
    rules: list[dict[str, Any]], scraped: dict[tuple[str, Labels], float]
) -> None:
    evaluation = Evaluation(scraped, scraped)
    for rule in rules:
        assert evaluation.evaluate(rule["expr"]) == {}, "nothing happened, so nothing fires"


def firing(before: Any, after: Any, seconds: float = 300) -> set[tuple[str, str]]:
    """Return the alerts that fire, with their patterns, between two scrapes of the store."""
    groups = yaml.safe_load(render_prometheus([shop], DEPLOYMENT))["groups"]
    evaluation = Evaluation(before, after, seconds)
    return {
        (rule["alert"], rule["labels"].get("pattern") or dict(labels).get("pattern", ""))
        for group in groups
        if "endpoint" not in group["name"]
        for rule in group["rules"]
        for labels in evaluation.evaluate(rule["expr"])
    }


def scaled(
    scrape: dict[tuple[str, Labels], float], factor: Callable[[str, dict[str, str]], float]
) -> dict[tuple[str, Labels], float]:
    """Return a later scrape: each counter has grown by a factor of what it was."""
    return {
        (name, labels): value * (1 + factor(name, dict(labels)))
        for (name, labels), value in scrape.items()
    }


@pytest.fixture(scope="module")
def before() -> dict[tuple[str, Labels], float]:
    used = Shop()
    used.call_all()
    return used.scrape()


def test_planned_load_does_not_fire(before: dict[tuple[str, Labels], float]) -> None:
    after = scaled(before, lambda name, labels: 300 * ("shop:C1" in labels.values()))
    assert firing(before, after) <= {("StoreRetries", "shop:C1")}


def test_more_calls_than_planned_fire(before: dict[tuple[str, Labels], float]) -> None:
    # Two calls of C1 were made, so these are 4,500 a second; twice its peak is 4,000.
    after = scaled(
        before,
        lambda name, labels: (
            2_250 * 300 * ("retries" not in name) if labels.get("pattern") == "shop:C1" else 0
        ),
    )
    assert firing(before, after) == {
        ("AccessPatternCallsAbovePlan", "shop:C1"),
        ("TableUnitsAbovePlan", ""),
    }


def test_larger_items_than_planned_fire(before: dict[tuple[str, Labels], float]) -> None:
    after = scaled(
        before,
        lambda name, labels: (
            0 if labels.get("pattern") != "shop:O1" else 120 if "units" in name else 1
        ),
    )
    assert ("AccessPatternUnitsAbovePlan", "shop:O1") in firing(before, after)


def test_undeclared_slow_and_failing_calls_fire(before: dict[tuple[str, Labels], float]) -> None:
    after = scaled(before, lambda name, labels: labels.get("pattern") == "undeclared")
    assert ("UndeclaredCalls", "") in firing(before, after)
    slow = {
        (name, labels): value
        for (name, labels), value in scaled(before, lambda name, labels: 1).items()
        if float(dict(labels).get("le", "inf")) > 1
    }
    assert ("StoreLatency", "shop:C1") in firing({}, slow)
    assert ("StoreLatency", "shop:X1") not in firing({}, slow)
    calls = "singletable_calls_total"
    failed = frozenset({("pattern", "shop:C1"), ("outcome", "ResourceNotFound")})
    many = {**before, (calls, failed): 1e6}
    assert ("StoreErrors", "") in firing(before, many)


def dashboards() -> dict[str, Any]:
    text = render_grafana([shop], DEPLOYMENT, docs_url="https://docs.example.com/shop")
    result: dict[str, Any] = json.loads(text)
    return result


def panels_of(dashboard: dict[str, Any]) -> list[dict[str, Any]]:
    rows = [one for one in dashboard["panels"] if one["type"] == "row"]
    inside = [panel for row in rows for panel in row["panels"]]
    return [one for one in dashboard["panels"] if one["type"] != "row"] + inside


def test_panels_use_exported_metrics_and_labels(
    scraped: dict[tuple[str, Labels], float],
) -> None:
    evaluation = Evaluation({}, scraped)
    for panel in panels_of(dashboards()):
        for target in panel["targets"]:
            result = evaluation.evaluate(target["expr"])
            # A legend shows labels that the result has.
            for label in re.findall(r"{{(\w+)}}", target["legendFormat"]):
                assert f"{label}" in target["expr"].partition("by (")[2].partition(")")[0]
            if panel["title"] in ("shop:C1: calls", "shop/by-day: read units"):
                assert result


def test_every_pattern_has_its_row_with_planned_lines() -> None:
    dashboard = dashboards()
    rows = {row["title"]: row for row in dashboard["panels"] if row["type"] == "row"}
    titles = [f"{pattern.id}  {pattern.description}" for pattern in catalog]
    assert list(rows) == ["Overview", "Tables and indexes", *titles, "Endpoint"]
    calls, latency, failed, units = rows["shop:C1  A customer"]["panels"]
    lines = {target["legendFormat"]: target["expr"] for target in calls["targets"]}
    assert lines["planned average"] == "vector(50)"
    assert lines["planned peak"] == "vector(2000)"
    dashed = [one["matcher"]["options"] for one in calls["fieldConfig"]["overrides"]]
    assert dashed == ["planned average", "planned peak"]
    assert (latency["fieldConfig"]["defaults"]["unit"], failed["title"]) == (
        "s",
        "shop:C1: failed calls",
    )
    assert "vector(0.5)" in [target["expr"] for target in units["targets"]]
    assert calls["links"][0]["url"] == "https://docs.example.com/shop"


def test_dashboard_can_be_imported() -> None:
    dashboard = dashboards()
    assert dashboard["id"] is None
    assert dashboard["schemaVersion"] >= 39
    assert 0 < len(dashboard["uid"]) <= 40
    datasource, job = dashboard["templating"]["list"]
    assert (datasource["type"], datasource["query"]) == ("datasource", "prometheus")
    assert job["datasource"]["uid"] == "${datasource}"
    panels = panels_of(dashboard)
    everything = [*dashboard["panels"], *panels]
    ids = {panel["id"]: panel for panel in everything}
    assert len(ids) == len({id(panel) for panel in everything})
    for panel in panels:
        assert panel["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
        assert panel["fieldConfig"]["defaults"]["unit"]
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24
        assert len({target["refId"] for target in panel["targets"]}) == len(panel["targets"])


def test_rules_without_a_plan_are_rejected() -> None:
    with pytest.raises(DeclarationError, match="no planned load"):
        render_prometheus([shop], Deployment())
