"""PrometheusObserver: metrics by pattern."""

from __future__ import annotations

import sys

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from dynamodb_engine.faults import FaultyDriver
from singletable.telemetry import PrometheusObserver
from tests.telemetry.sample_calls import make_calls
from tools.testing.designs.election_catalog import elections


@pytest.fixture
def registry(driver: FaultyDriver) -> CollectorRegistry:
    registry = CollectorRegistry()
    make_calls(driver, PrometheusObserver(elections, registry=registry))
    return registry


SAMPLES: dict[str, tuple[dict[str, str], float]] = {
    "calls": ({"pattern": "elections:AP1", "outcome": "ok"}, 3.0),
    "calls of several pages": ({"pattern": "elections:AP2", "outcome": "ok"}, 1.0),
    "failed calls": ({"pattern": "elections:AP13", "outcome": "AlreadyExists"}, 1.0),
    "undeclared calls": ({"pattern": "undeclared", "outcome": "ok"}, 8.0),
}


@pytest.mark.parametrize(("labels", "value"), SAMPLES.values(), ids=SAMPLES)
def test_calls_are_counted_by_pattern_and_outcome(
    registry: CollectorRegistry, labels: dict[str, str], value: float
) -> None:
    assert registry.get_sample_value("singletable_calls_total", labels) == value


def test_durations_are_a_histogram(registry: CollectorRegistry) -> None:
    labels = {"pattern": "elections:AP2"}
    assert registry.get_sample_value("singletable_call_duration_seconds_count", labels) == 3.0
    total = registry.get_sample_value("singletable_call_duration_seconds_sum", labels)
    assert total is not None
    assert total > 0


def test_units_are_counted_by_table_and_index(registry: CollectorRegistry) -> None:
    def units(pattern: str, table: str, index: str, kind: str) -> float | None:
        labels = {"pattern": pattern, "table": table, "index": index, "kind": kind}
        return registry.get_sample_value("singletable_consumed_capacity_units_total", labels)

    assert units("elections:AP13", "members", "", "write") == 4.0
    assert units("elections:AP1", "vote_data", "", "read") == 39.0
    # Each ballot of 300 kB is also in the index by person.
    assert units("undeclared", "vote_data", "by_person", "write") == 8 * 294.0
    assert units("undeclared", "vote_data", "keys_only", "write") is None


def test_requests_and_repeats_are_counted(registry: CollectorRegistry) -> None:
    def value(name: str, **labels: str) -> float | None:
        return registry.get_sample_value(f"singletable_{name}_total", labels)

    assert value("requests", pattern="elections:AP2", operation="Query") == 3.0
    assert value("requests", pattern="elections:AP1", operation="GetItem") == 5.0
    assert value("retries", pattern="elections:AP1", reason="unavailable") == 2.0
    assert value("retries", pattern="elections:AP13", reason="conflict") == 1.0


def test_scraped_page_has_metric_types(registry: CollectorRegistry) -> None:
    page = generate_latest(registry).decode()
    assert "# TYPE singletable_calls_total counter" in page
    assert "# TYPE singletable_call_duration_seconds histogram" in page


def test_missing_library_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    with pytest.raises(ModuleNotFoundError, match=r"Install singletable\[prometheus\]"):
        PrometheusObserver(elections)
