"""Metrics count requests and their outcomes, and Prometheus can scrape them locally."""

from __future__ import annotations

import asyncio
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar, cast

import pytest
from msgspec import json

from dynamodb_engine.engine import AsyncEngine, Engine
from dynamodb_engine.errors import (
    CancellationReason,
    EngineError,
    OperationError,
    TransactionCanceled,
)
from dynamodb_engine.operations import ConsumedCapacity, GetItem, GetItemOutput, Operation
from dynamodb_engine.server import AccessLog, DynamoDBApp, Limits, Listener, Metrics, Observer
from dynamodb_engine.server.observe import Traffic, metrics
from tests.server.prometheus import MetricFamily, parse_metrics
from tools.testing.app_client import BALLOT, KEY, AppClient, app_client, get, post

R = TypeVar("R")


def scrape(client: AppClient) -> dict[str, MetricFamily]:
    response = client.send(get("/metrics"))
    assert response.status == 200
    assert response.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    return parse_metrics(response.body.decode())


class FailingDriver:
    """A driver that always raises."""

    def __init__(self, error: EngineError) -> None:
        self.error = error

    async def execute(self, operation: Operation[R], /) -> R:
        raise self.error


class MeteredDriver:
    """A driver that reports the consumed capacity of each get."""

    async def execute(self, operation: Operation[R], /) -> R:
        name = cast(GetItem, operation).table_name
        output: Any = GetItemOutput(consumed_capacity=ConsumedCapacity(name, 0.5))
        return cast(R, output)


def test_operations_are_counted_by_name_and_outcome() -> None:
    with app_client(Observer(Metrics())) as client:
        for _ in range(3):
            client.output("GetItem", {"TableName": "votes", "Key": KEY})
        client.call("GetItem", {"TableName": "nowhere", "Key": KEY})
        page = scrape(client)
    operations = page["singletable_operations_total"]
    assert operations.value(operation="GetItem", outcome="ok") == 3
    assert operations.value(operation="GetItem", outcome="ResourceNotFoundException") == 1
    assert operations.value(operation="CreateTable", outcome="ok") == 1
    durations = page["singletable_operation_duration_seconds"]
    assert durations.value("_count", operation="GetItem") == 4
    assert durations.value("_sum", operation="GetItem") > 0


# A request may fail before its operation is known.
def test_errors_are_counted_by_code() -> None:
    with app_client(Observer(Metrics())) as client:
        client.call("GetItem", b"null")
        client.call("Nonsense", {})
        client.call("GetItem", {"TableName": "nowhere", "Key": KEY})
        page = scrape(client)
    errors = page["singletable_errors_total"]
    assert errors.value(code="SerializationException") == 1
    assert errors.value(code="UnknownOperationException") == 1
    assert errors.value(code="ResourceNotFoundException") == 1
    responses = page["singletable_responses_total"]
    assert responses.value(status="400") == 3
    assert responses.value(status="200") == 2


def test_units_are_counted_by_table_and_index() -> None:
    with app_client(Observer(Metrics())) as client:
        client.output("GetItem", {"TableName": "votes", "Key": KEY, "ConsistentRead": True})
        page = scrape(client)
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
    client = AppClient(DynamoDBApp(FailingDriver(error), observer=Observer(Metrics())))
    client.call("PutItem", {"TableName": "votes", "Item": BALLOT})
    throttles = scrape(client)["singletable_throttles_total"]
    assert throttles.value(operation="PutItem", table="votes") == 1


@pytest.mark.parametrize(
    ("reason", "throttles"), [("ThrottlingError", 1), ("ConditionalCheckFailed", 0)]
)
def test_transaction_counts_as_throttled_by_its_reasons(reason: str, throttles: int) -> None:
    error = TransactionCanceled([CancellationReason(), CancellationReason(reason)])
    client = AppClient(DynamoDBApp(FailingDriver(error), observer=Observer(Metrics())))
    actions = [{"Get": {"TableName": table, "Key": KEY}} for table in ("votes", "polls", "votes")]
    client.call("TransactGetItems", {"TransactItems": actions})
    samples = scrape(client)["singletable_throttles_total"].samples
    assert list(samples.values()) == [1.0] * (2 * throttles)


# Short-lived tables would otherwise fill the memory of the endpoint and of Prometheus.
def test_table_names_beyond_limit_are_counted_as_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "MAX_NAMES", 3)
    client = AppClient(DynamoDBApp(MeteredDriver(), observer=Observer(Metrics())))
    for n in range(10):
        client.output("GetItem", {"TableName": f"table{n}", "Key": KEY})
    client.output("GetItem", {"TableName": "table0", "Key": KEY})
    units = scrape(client)["singletable_consumed_read_units_total"]
    assert len(units.samples) == 4
    assert units.value(table="table0") == 1
    assert units.value(table="other") == 3.5


def test_table_name_is_escaped_in_labels() -> None:
    client = AppClient(DynamoDBApp(MeteredDriver(), observer=Observer(Metrics())))
    client.output("GetItem", {"TableName": 'a"b\\c\nd', "Key": KEY})
    units = scrape(client)["singletable_consumed_read_units_total"]
    assert units.value(table='a"b\\c\nd') == 0.5


def test_page_has_version_and_start_time() -> None:
    with app_client(Observer(Metrics(clock=lambda: 1700000000.5))) as client:
        page = scrape(client)
    assert page["process_start_time_seconds"].value() == 1700000000.5
    ((_, labels),) = page["singletable_build_info"].samples
    assert ("version", version("singletable")) in labels


# The request of the scraper is in flight too.
def test_requests_in_flight_are_counted() -> None:
    metrics = Metrics()

    class SlowDriver:
        async def execute(self, operation: Operation[R], /) -> R:
            await asyncio.Event().wait()
            raise AssertionError

    async def run() -> float:
        app = DynamoDBApp(SlowDriver(), observer=Observer(metrics))
        waiting = asyncio.create_task(app.handle(post("ListTables", {})))
        await asyncio.sleep(0)
        page = parse_metrics((await app.handle(get("/metrics"))).body.decode())
        waiting.cancel()
        await asyncio.wait([waiting])
        return page["singletable_requests_in_flight"].value()

    assert asyncio.run(run()) == 2
    assert metrics.in_flight == 0
    assert not metrics.durations


# Under another ASGI server, connections are not ours to count.
def test_socket_metrics_need_a_listener() -> None:
    observer = Observer(Metrics())
    with app_client(observer) as client:
        assert "singletable_connections" not in scrape(client)
        observer.traffic = Traffic(connections=2, connected=3, received=4, sent=5)
        page = scrape(client)
    assert page["singletable_connections"].value() == 2
    assert page["singletable_connections_total"].value() == 3
    assert page["singletable_received_bytes_total"].value() == 4
    assert page["singletable_sent_bytes_total"].value() == 5


# Metrics name tables, and a scraper cannot sign its requests.
@pytest.mark.parametrize("address", ["192.168.1.7", "::2", "", "unknown"])
def test_metrics_need_a_loopback_client(address: str) -> None:
    with app_client(Observer(Metrics())) as client:
        assert client.send(get("/metrics", address)).status == 403
        assert client.send(get("/", address)).status == 200


@pytest.mark.parametrize("observer", [None, Observer()], ids=["no observer", "no metrics"])
def test_page_without_metrics_is_not_found(observer: Observer | None) -> None:
    with app_client(observer) as client:
        assert client.send(get("/metrics")).status == 404


IN_VOTES = {"TableName": "votes"}
PUT = {"Put": {**IN_VOTES, "Item": {**BALLOT, "choice": {"S": "milk"}}}}
OF_POLL = {"KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "poll"}}}
OF_ADA = {"KeyConditionExpression": "voter = :a", "ExpressionAttributeValues": {":a": {"S": "ada"}}}

REQUESTS: dict[str, tuple[str, dict[str, object]]] = {
    "get": ("GetItem", {**IN_VOTES, "Key": KEY}),
    "get missing item": ("GetItem", {**IN_VOTES, "Key": {**KEY, "sk": {"S": "bob"}}}),
    "put": ("PutItem", {**IN_VOTES, "Item": {**BALLOT, "day": {"S": "friday"}}}),
    "update": (
        "UpdateItem",
        {**IN_VOTES, "Key": KEY, "UpdateExpression": "REMOVE voter", "ReturnValues": "ALL_NEW"},
    ),
    "delete": ("DeleteItem", {**IN_VOTES, "Key": KEY, "ReturnItemCollectionMetrics": "SIZE"}),
    "query": ("Query", {**IN_VOTES, **OF_POLL}),
    "query of an index": ("Query", {**IN_VOTES, **OF_ADA, "IndexName": "by_voter"}),
    "query of a local index": ("Query", {**IN_VOTES, **OF_POLL, "IndexName": "by_day"}),
    "scan": ("Scan", {**IN_VOTES, "Select": "COUNT"}),
    "batch get": ("BatchGetItem", {"RequestItems": {"votes": {"Keys": [KEY]}}}),
    "batch write": (
        "BatchWriteItem",
        {"RequestItems": {"votes": [{"DeleteRequest": {"Key": KEY}}]}},
    ),
    "transact get": (
        "TransactGetItems",
        {"TransactItems": [{"Get": {**IN_VOTES, "Key": KEY}}]},
    ),
    "transact write": ("TransactWriteItems", {"TransactItems": [PUT]}),
    "repeated transaction": (
        "TransactWriteItems",
        {"TransactItems": [PUT], "ClientRequestToken": "once"},
    ),
    "failed condition": (
        "PutItem",
        {**IN_VOTES, "Item": KEY, "ConditionExpression": "attribute_exists(x)"},
    ),
    "no capacity": ("DescribeLimits", {}),
}
CAPACITY_MODES: list[object] = [None, "NONE", "TOTAL", "INDEXES", "SOME", 7]


@pytest.mark.parametrize("mode", CAPACITY_MODES)
@pytest.mark.parametrize(("operation", "body"), REQUESTS.values(), ids=list(REQUESTS))
def test_metering_does_not_change_responses(
    operation: str, body: dict[str, object], mode: object
) -> None:
    if mode is not None:
        body = {**body, "ReturnConsumedCapacity": mode}
    with app_client() as plain, app_client(Observer(Metrics())) as metered:
        for _ in range(2):
            expected = plain.call(operation, body)
            response = metered.call(operation, body)
            assert (response.status, response.body) == (expected.status, expected.body)


@pytest.mark.parametrize("mode", [None, "NONE", "TOTAL", "INDEXES"])
def test_consumed_units_are_counted_in_every_mode(mode: str | None) -> None:
    metrics = Metrics()
    with app_client(Observer(metrics)) as metered:
        metrics.units = {"read": {}, "write": {}}
        option = {} if mode is None else {"ReturnConsumedCapacity": mode}
        metered.output("GetItem", {**IN_VOTES, "Key": KEY, **option})
        metered.output("BatchGetItem", {"RequestItems": {"votes": {"Keys": [KEY]}}, **option})
        metered.output("Query", {**IN_VOTES, **OF_ADA, "IndexName": "by_voter", **option})
        metered.output("DeleteItem", {**IN_VOTES, "Key": KEY, **option})
        metered.output("TransactWriteItems", {"TransactItems": [PUT], **option})
    assert metrics.units == {
        "read": {("votes", ""): 1.0, ("votes", "by_voter"): 0.5},
        "write": {("votes", ""): 3.0, ("votes", "by_voter"): 2.0, ("votes", "by_day"): 2.0},
    }


# DynamoDB charges read units for a transaction that is sent again with the same token.
def test_repeated_transaction_consumes_read_units() -> None:
    metrics = Metrics()
    with app_client(Observer(metrics)) as metered:
        twice = {"TransactItems": [PUT], "ClientRequestToken": "once"}
        metered.output("TransactWriteItems", twice)
        written = dict(metrics.units["write"])
        metered.output("TransactWriteItems", twice)
    assert metrics.units["write"] == written
    assert metrics.units["read"] == {("votes", ""): 2.0}


# The client requested the total, the endpoint requested the details.
def test_total_has_no_index_details() -> None:
    with app_client(Observer(Metrics())) as metered:
        body = {**IN_VOTES, "Key": KEY, "ReturnConsumedCapacity": "TOTAL"}
        output = json.decode(metered.call("DeleteItem", body).body)
    assert output == {"ConsumedCapacity": {"TableName": "votes", "CapacityUnits": 3.0}}


HEALTH = b"GET / HTTP/1.1\r\n\r\n"
METRICS = b"GET /metrics HTTP/1.1\r\n\r\n"
NONSENSE = b"This is not HTTP\r\n\r\n"
TOO_LARGE = b"POST / HTTP/1.1\r\nContent-Length: 1000\r\n\r\n"


async def exchange(port: int, request: bytes) -> bytes:
    """Send bytes on a new connection and return everything that comes back."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    writer.write_eof()
    received = await reader.read()
    writer.close()
    return received


def exchange_all(observer: Observer, *requests: bytes) -> list[bytes]:
    """Send each request on its own connection to an observed listener; return the responses."""

    async def run() -> list[bytes]:
        with Engine.in_memory() as engine:
            app = DynamoDBApp(AsyncEngine(engine), observer=observer)
            listener = Listener(app, Limits(max_body=999), observer)
            _, port = await listener.start("127.0.0.1", 0)
            received = [await exchange(port, request) for request in requests]
            await listener.stop()
            return received

    return asyncio.run(run())


def metrics_in(response: bytes) -> dict[str, MetricFamily]:
    return parse_metrics(response.partition(b"\r\n\r\n")[2].decode())


def test_connections_and_bytes_are_counted() -> None:
    health, metrics = exchange_all(Observer(Metrics()), HEALTH, METRICS)
    page = metrics_in(metrics)
    assert page["singletable_connections"].value() == 1
    assert page["singletable_connections_total"].value() == 2
    assert page["singletable_received_bytes_total"].value() == len(HEALTH) + len(METRICS)
    assert page["singletable_sent_bytes_total"].value() == len(health)


# Malformed requests never reach the app, but an operator looks for them here.
def test_rejections_are_counted_by_status() -> None:
    *_, metrics = exchange_all(Observer(Metrics()), NONSENSE, TOO_LARGE, NONSENSE, METRICS)
    responses = metrics_in(metrics)["singletable_responses_total"]
    assert responses.value(status="400") == 2
    assert responses.value(status="413") == 1


def test_rejections_are_logged(tmp_path: Path) -> None:
    path = tmp_path / "access.log"
    with AccessLog(str(path)) as log:
        exchange_all(Observer(log=log), TOO_LARGE, HEALTH)
    rejected, health = [json.decode(line) for line in path.read_bytes().splitlines()]
    assert (rejected["status"], rejected["client"]) == (413, "127.0.0.1")
    assert rejected["operation"] is None
    assert (health["status"], health["client"]) == (200, "127.0.0.1")
