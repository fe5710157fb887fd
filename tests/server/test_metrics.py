"""Metrics: what was asked and how it went, in Prometheus's format, to this machine alone."""

from __future__ import annotations

import asyncio
from importlib.metadata import version
from typing import Any, TypeVar, cast

import pytest

from singletable.errors import (
    CancellationReason,
    OperationError,
    SingleTableError,
    TransactionCanceled,
)
from singletable.operations import ConsumedCapacity, GetItem, GetItemOutput, Operation
from singletable.server import DynamoDBApp, Metrics, Observer
from singletable.server.observe import Traffic
from tests.server.asking import BALLOT, KEY, Desk, desk, get, post
from tests.server.prometheus import Family, read_page

R = TypeVar("R")


def scraped(desk: Desk) -> dict[str, Family]:
    response = desk.answer(get("/metrics"))
    assert response.status == 200
    assert response.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    return read_page(response.body.decode())


class Refusing:
    """A driver that has only this to say."""

    def __init__(self, error: SingleTableError) -> None:
        self.error = error

    async def execute(self, operation: Operation[R], /) -> R:
        raise self.error


class Telling:
    """A driver that says of each get what it consumed, and from which table."""

    async def execute(self, operation: Operation[R], /) -> R:
        name = cast(GetItem, operation).table_name
        answer: Any = GetItemOutput(consumed_capacity=ConsumedCapacity(name, 0.5))
        return cast(R, answer)


def test_operations_are_counted_by_name_and_outcome() -> None:
    with desk(Observer(Metrics())) as asked:
        for _ in range(3):
            asked.told("GetItem", {"TableName": "votes", "Key": KEY})
        asked.ask("GetItem", {"TableName": "nowhere", "Key": KEY})
        page = scraped(asked)
    operations = page["singletable_operations_total"]
    assert operations.value(operation="GetItem", outcome="ok") == 3
    assert operations.value(operation="GetItem", outcome="ResourceNotFoundException") == 1
    assert operations.value(operation="CreateTable", outcome="ok") == 1
    durations = page["singletable_operation_duration_seconds"]
    assert durations.value("_count", operation="GetItem") == 4
    assert durations.value("_sum", operation="GetItem") > 0


# A request may fail before anyone knows what it asks for.
def test_errors_are_counted_by_code() -> None:
    with desk(Observer(Metrics())) as asked:
        asked.ask("GetItem", b"null")
        asked.ask("Nonsense", {})
        asked.ask("GetItem", {"TableName": "nowhere", "Key": KEY})
        page = scraped(asked)
    errors = page["singletable_errors_total"]
    assert errors.value(code="SerializationException") == 1
    assert errors.value(code="UnknownOperationException") == 1
    assert errors.value(code="ResourceNotFoundException") == 1
    responses = page["singletable_responses_total"]
    assert responses.value(status="400") == 3
    assert responses.value(status="200") == 2


def test_units_are_counted_by_table_and_index() -> None:
    with desk(Observer(Metrics())) as asked:
        asked.told("GetItem", {"TableName": "votes", "Key": KEY, "ConsistentRead": True})
        page = scraped(asked)
    assert page["singletable_consumed_read_units_total"].value(table="votes") == 1
    written = page["singletable_consumed_write_units_total"]
    for index in ("", "by_day", "by_voter"):
        assert written.value(table="votes", index=index) == 1


@pytest.mark.parametrize(
    "code",
    ["ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded"],
)
def test_throttles_are_counted_by_operation_and_table(code: str) -> None:
    error = type("Refused", (OperationError,), {"code": code})("slower")
    asked = Desk(DynamoDBApp(Refusing(error), observer=Observer(Metrics())))
    asked.ask("PutItem", {"TableName": "votes", "Item": BALLOT})
    throttles = scraped(asked)["singletable_throttles_total"]
    assert throttles.value(operation="PutItem", table="votes") == 1


@pytest.mark.parametrize(
    ("reason", "throttles"), [("ThrottlingError", 1), ("ConditionalCheckFailed", 0)]
)
def test_a_transaction_is_throttled_for_a_reason(reason: str, throttles: int) -> None:
    error = TransactionCanceled([CancellationReason(), CancellationReason(reason)])
    asked = Desk(DynamoDBApp(Refusing(error), observer=Observer(Metrics())))
    actions = [{"Get": {"TableName": table, "Key": KEY}} for table in ("votes", "polls", "votes")]
    asked.ask("TransactGetItems", {"TransactItems": actions})
    samples = scraped(asked)["singletable_throttles_total"].samples
    assert list(samples.values()) == [1.0] * (2 * throttles)


# Tables that come and go would otherwise fill the memory, and Prometheus's.
def test_names_are_counted_up_to_a_bound() -> None:
    asked = Desk(DynamoDBApp(Telling(), observer=Observer(Metrics(names=3))))
    for n in range(10):
        asked.told("GetItem", {"TableName": f"table{n}", "Key": KEY})
    asked.told("GetItem", {"TableName": "table0", "Key": KEY})
    units = scraped(asked)["singletable_consumed_read_units_total"]
    assert len(units.samples) == 4
    assert units.value(table="table0") == 1
    assert units.value(table="other") == 3.5


def test_a_name_is_escaped_wherever_it_comes_from() -> None:
    asked = Desk(DynamoDBApp(Telling(), observer=Observer(Metrics())))
    asked.told("GetItem", {"TableName": 'a"b\\c\nd', "Key": KEY})
    units = scraped(asked)["singletable_consumed_read_units_total"]
    assert units.value(table='a"b\\c\nd') == 0.5


def test_the_page_says_what_runs_since_when() -> None:
    with desk(Observer(Metrics(clock=lambda: 1700000000.5))) as asked:
        page = scraped(asked)
    assert page["process_start_time_seconds"].value() == 1700000000.5
    ((_, labels),) = page["singletable_build_info"].samples
    assert ("version", version("singletable")) in labels


# Whoever scrapes is in flight itself; what is answered is no longer.
def test_requests_in_flight_are_told() -> None:
    metrics = Metrics()

    class Slow:
        async def execute(self, operation: Operation[R], /) -> R:
            await asyncio.Event().wait()
            raise AssertionError

    async def run() -> float:
        app = DynamoDBApp(Slow(), observer=Observer(metrics))
        waiting = asyncio.create_task(app.answer(post("ListTables", {})))
        await asyncio.sleep(0)
        page = read_page((await app.answer(get("/metrics"))).body.decode())
        waiting.cancel()
        await asyncio.wait([waiting])
        return page["singletable_requests_in_flight"].value()

    assert asyncio.run(run()) == 2
    assert metrics.in_flight == 0
    assert not metrics.durations


# Another server's sockets are not ours to count.
def test_sockets_are_told_only_by_whoever_listens() -> None:
    observer = Observer(Metrics())
    with desk(observer) as asked:
        assert "singletable_connections" not in scraped(asked)
        observer.traffic = Traffic(connections=2, connected=3, received=4, sent=5)
        page = scraped(asked)
    assert page["singletable_connections"].value() == 2
    assert page["singletable_connections_total"].value() == 3
    assert page["singletable_received_bytes_total"].value() == 4
    assert page["singletable_sent_bytes_total"].value() == 5


# They name tables, and a scraper cannot sign its requests.
@pytest.mark.parametrize("client", ["192.168.1.7", "::2", "", "unknown"])
def test_metrics_are_for_this_machine_alone(client: str) -> None:
    with desk(Observer(Metrics())) as asked:
        assert asked.answer(get("/metrics", client)).status == 403
        assert asked.answer(get("/", client)).status == 200


@pytest.mark.parametrize("observer", [None, Observer()], ids=["unobserved", "not measured"])
def test_without_metrics_the_page_is_a_health_check(observer: Observer | None) -> None:
    with desk(observer) as asked:
        assert asked.answer(get("/metrics")).body.startswith(b"healthy")
