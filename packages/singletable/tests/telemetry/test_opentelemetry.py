"""OpenTelemetryObserver: spans and metrics by the semantic conventions."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from dynamodb_engine.faults import FaultyDriver
from singletable import AsyncEngine, AsyncStore, Engine, Store
from singletable.telemetry import OpenTelemetryObserver
from tests.telemetry.sample_calls import make_calls
from tools.testing.designs.election_catalog import ballots, elections
from tools.testing.designs.votes import Ballot, ballot, votes


class Exported:
    """The spans and metrics that the observer exported."""

    def __init__(self) -> None:
        self._exporter = InMemorySpanExporter()
        self.tracers = TracerProvider()
        self.tracers.add_span_processor(SimpleSpanProcessor(self._exporter))
        self._reader = InMemoryMetricReader()
        meters = MeterProvider([self._reader])
        self.observer = OpenTelemetryObserver(
            elections, tracer_provider=self.tracers, meter_provider=meters
        )

    def spans(self, name: str) -> list[ReadableSpan]:
        return [one for one in self._exporter.get_finished_spans() if one.name == name]

    def points(self, name: str) -> list[Any]:
        data = self._reader.get_metrics_data()
        assert data is not None
        return [
            point
            for resource in data.resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
            if metric.name == name
            for point in metric.data.data_points
        ]


@pytest.fixture
def exported() -> Exported:
    return Exported()


def test_call_creates_a_span(driver: FaultyDriver, exported: Exported) -> None:
    make_calls(driver, exported.observer)
    first, second, *_ = exported.spans("get elections:AP1")
    assert first.kind is SpanKind.CLIENT
    attributes: dict[str, Any] = dict(first.attributes or {})
    (consumed,) = attributes.pop("aws.dynamodb.consumed_capacity")
    assert json.loads(consumed)["CapacityUnits"] == 1.0
    assert attributes == {
        "db.system.name": "aws.dynamodb",
        "db.query.summary": "get elections:AP1",
        "db.operation.name": "GetItem",
        "db.collection.name": "vote_data",
        "aws.dynamodb.table_names": ("vote_data",),
        "aws.dynamodb.consistent_read": True,
        "singletable.pattern": "elections:AP1",
        "singletable.method": "get",
        "singletable.continued": False,
        "singletable.read_units": 1.0,
        "singletable.write_units": 0.0,
    }
    assert first.start_time is not None
    assert first.end_time is not None
    assert first.start_time < first.end_time
    assert [event.name for event in second.events] == ["dynamodb_engine.retry"] * 2


def test_failed_call_creates_a_span_with_error_status(
    driver: FaultyDriver, exported: Exported
) -> None:
    make_calls(driver, exported.observer)
    good, bad = exported.spans("create elections:AP13")
    assert good.status.status_code is StatusCode.UNSET
    assert bad.status.status_code is StatusCode.ERROR
    assert (bad.attributes or {})["error.type"] == "AlreadyExists"


def test_metrics_are_labeled_with_the_pattern(driver: FaultyDriver, exported: Exported) -> None:
    make_calls(driver, exported.observer)
    seconds = {
        point.attributes["singletable.pattern"]: point
        for point in exported.points("db.client.operation.duration")
        if "error.type" not in point.attributes
    }
    assert seconds["elections:AP2"].count == 3
    units = {
        (point.attributes["singletable.pattern"], point.attributes["aws.dynamodb.index_name"]): (
            point.value
        )
        for point in exported.points("singletable.consumed_capacity")
    }
    assert units["elections:AP13", ""] == 4.0
    assert units["undeclared", "by_person"] == 8 * 294.0
    retries = {
        point.attributes["singletable.reason"]: point.value
        for point in exported.points("singletable.retries")
    }
    assert retries == {"unavailable": 2, "conflict": 1}


def test_span_is_a_child_of_the_current_span(exported: Exported) -> None:
    tracer = exported.tracers.get_tracer("app")
    with Engine.in_memory() as engine:
        store = Store(engine, observers=[exported.observer])
        store.admin.create_table(votes)
        with tracer.start_as_current_span("request") as outer:
            store.put(ballot("ada"))
    (span,) = exported.spans("put undeclared")
    assert span.parent is not None
    assert span.parent.span_id == outer.get_span_context().span_id


def test_async_span_is_a_child_of_its_task_span(exported: Exported) -> None:
    tracer = exported.tracers.get_tracer("app")

    async def request(store: AsyncStore, number: int) -> int:
        with tracer.start_as_current_span(f"request {number}") as outer:
            await asyncio.sleep(0)
            await store.count(ballots(f"election {number}"))
            return outer.get_span_context().span_id

    async def both() -> list[int]:
        with Engine.in_memory() as engine:
            store = AsyncStore(AsyncEngine(engine), observers=[exported.observer])
            await store.admin.create_table(votes)
            return await asyncio.gather(*(request(store, number) for number in range(5)))

    outer_ids = asyncio.run(both())
    spans = exported.spans("count elections:AP2")
    assert {span.parent.span_id for span in spans if span.parent} == set(outer_ids)
    assert (spans[0].attributes or {}).get("aws.dynamodb.index_name") is None


def test_span_names_the_index(exported: Exported) -> None:
    with Engine.in_memory() as engine:
        store = Store(engine, observers=[exported.observer])
        store.admin.create_table(votes)
        assert store.count(Ballot.by_voter("ada")) == 0
    (span,) = exported.spans("count elections:AP7")
    assert (span.attributes or {})["aws.dynamodb.index_name"] == "by_person"
