"""The dashboard and the rules in examples/monitoring use metrics and labels that are exported."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client import CollectorRegistry, generate_latest

from dynamodb_engine.faults import AsyncFaultyDriver, Faults, FaultyDriver, Next
from dynamodb_engine.server import DynamoDBApp, Metrics, Observer
from dynamodb_engine.server.observe import Traffic
from singletable import AsyncEngine, Engine
from singletable.telemetry import PrometheusObserver
from tests.telemetry.sample_calls import make_calls
from tools.testing.app_client import BALLOT, KEY, VOTES, AppClient, get
from tools.testing.designs.election_catalog import elections

FOLDER = Path(__file__).parents[4] / "examples/monitoring"
DASHBOARD: dict[str, Any] = json.loads((FOLDER / "grafana-dashboard.json").read_text())
GROUPS: list[dict[str, Any]] = yaml.safe_load((FOLDER / "prometheus-rules.yml").read_text())[
    "groups"
]
RULES = [rule for group in GROUPS for rule in group["rules"]]
# Prometheus adds it to every metric that it scrapes.
JOB = "job"


def scrape_endpoint() -> str:
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
        return client.send(get("/metrics")).body.decode()


@pytest.fixture
def exported(driver: FaultyDriver) -> dict[str, set[str]]:
    """Return the labels of each metric of a store and an endpoint that were called."""
    registry = CollectorRegistry()
    make_calls(driver, PrometheusObserver(elections, registry=registry))
    found = defaultdict[str, set[str]](set)
    for page in (generate_latest(registry).decode(), scrape_endpoint()):
        for name, labels in re.findall(r"^(\w+)(?:\{(.*)\})? ", page, re.MULTILINE):
            found[name] |= {JOB, *re.findall(r'(\w+)="', labels)}
    return found


def panels() -> Iterator[dict[str, Any]]:
    for panel in DASHBOARD["panels"]:
        yield from panel["panels"] if panel["type"] == "row" else [panel]


def labels_used(expression: str) -> set[str]:
    selected = " ".join(re.findall(r"\{(.*?)\}", expression))
    grouped = " ".join(re.findall(r"by \((.*?)\)", expression))
    return {*re.findall(r"(\w+)(?:=|!~)", selected), *re.findall(r"\w+", grouped)}


def test_expressions_use_exported_metrics_and_labels(exported: dict[str, set[str]]) -> None:
    expressions = [target["expr"] for panel in panels() for target in panel["targets"]]
    expressions += [rule["expr"] for rule in RULES]
    assert len(expressions) > 20
    for expression in expressions:
        names = re.findall(r"singletable_\w+", expression)
        assert names
        assert set(names) <= set(exported), expression
        for name in names:
            assert labels_used(expression) <= exported[name], expression


def test_texts_show_labels_that_the_result_has() -> None:
    texts = [
        (target["legendFormat"], target["expr"])
        for panel in panels()
        for target in panel["targets"]
    ]
    texts += [
        (" ".join(re.findall(r"\$labels\.(\w+)", text)).join(("{{", "}}")), rule["expr"])
        for rule in RULES
        for text in rule["annotations"].values()
        if "$labels" in text
    ]
    for text, expression in texts:
        grouped = re.search(r"by \((.*?)\)", expression)
        shown = set(re.findall(r"{{(\w+)}}", text))
        assert shown <= set(re.findall(r"\w+", grouped[1] if grouped else "")), text


def test_rules_have_the_format_of_prometheus() -> None:
    assert len({rule["alert"] for rule in RULES}) == len(RULES)
    for rule in RULES:
        assert set(rule) - {"for"} == {"alert", "expr", "labels", "annotations"}
        assert re.fullmatch(r"\d+[mh]", rule.get("for", "1m"))
        assert set(rule["annotations"]) == {"summary", "description"}


def test_dashboard_can_be_imported() -> None:
    assert DASHBOARD["id"] is None
    assert DASHBOARD["schemaVersion"] >= 39
    everything = [*DASHBOARD["panels"]]
    everything += [panel for row in DASHBOARD["panels"] for panel in row.get("panels", ())]
    assert len({panel["id"] for panel in everything}) == len(everything)
    for panel in panels():
        assert panel["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
        assert panel["fieldConfig"]["defaults"]["unit"]
        assert panel["gridPos"]["x"] + panel["gridPos"]["w"] <= 24
