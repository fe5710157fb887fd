"""A credential with rate limits is throttled, and others are not."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from msgspec import json

from dynamodb_engine.engine import AsyncEngine, Engine
from dynamodb_engine.operations import (
    AttributeDefinition,
    CreateTable,
    GetItem,
    KeySchemaElement,
    ListTables,
    Operation,
    PutItem,
    Scan,
)
from dynamodb_engine.server import DynamoDBApp, Metrics, Observer
from dynamodb_engine.server.guard import Credential, Guard
from dynamodb_engine.server.guard.rate_limits import RateLimits
from dynamodb_engine.values import Item
from dynamodb_engine.wire import write_request
from tests.server.guard import signing

KEY: Item = {"pk": {"S": "1"}}
BOB = Credential("bob", "AKIABOB", "bob's secret")


class Endpoint:
    """A guarded endpoint with a clock that the test moves."""

    def __init__(
        self, engine: Engine, limits: RateLimits, *, metrics: Metrics | None = None
    ) -> None:
        self.now = signing.NOW
        ada = Credential("ada", "AKIAADA", signing.ADA.secret_access_key, rate_limits=limits)
        guard = Guard([ada, BOB], clock=lambda: self.now)
        observer = None if metrics is None else Observer(metrics)
        self.app = DynamoDBApp(AsyncEngine(engine), guard=guard, observer=observer)

    def call(self, operation: Operation[object], by: Credential) -> str:
        """Return the error code of the response, or an empty string."""
        target, body = write_request(operation)
        headers = {**signing.HEADERS, "X-Amz-Target": target}
        request = signing.signed(by, at=self.now, headers=headers, body=body)
        response = asyncio.run(self.app.handle(request))
        document: dict[str, str] = json.decode(response.body) if response.status != 200 else {}
        return document.get("__type", "").rpartition("#")[2]


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine.in_memory() as engine:
        engine.execute(
            CreateTable(
                "votes",
                [AttributeDefinition("pk", "S")],
                [KeySchemaElement("pk", "HASH")],
                billing_mode="PAY_PER_REQUEST",
            )
        )
        yield engine


def test_requests_are_limited_per_credential(engine: Engine) -> None:
    metrics = Metrics()
    endpoint = Endpoint(engine, RateLimits(requests=2), metrics=metrics)
    codes = [endpoint.call(ListTables(), signing.ADA) for _ in range(3)]
    assert codes == ["", "", "ThrottlingException"]
    assert endpoint.call(ListTables(), BOB) == ""
    endpoint.now += 0.5
    get = GetItem("votes", KEY)
    assert [endpoint.call(get, signing.ADA) for _ in range(2)] == ["", "ThrottlingException"]
    assert metrics.throttles == {("GetItem", "votes"): 1}


# A rate below one still lets a request through now and then.
def test_rate_may_be_less_than_one_per_second(engine: Engine) -> None:
    endpoint = Endpoint(engine, RateLimits(requests=0.1))
    assert endpoint.call(ListTables(), signing.ADA) == ""
    endpoint.now += 9
    assert endpoint.call(ListTables(), signing.ADA) == "ThrottlingException"
    endpoint.now += 1.01
    assert endpoint.call(ListTables(), signing.ADA) == ""


# The units of a request are known afterwards, so a deficit delays the next one.
@pytest.mark.parametrize("metrics", [None, Metrics()])
def test_units_are_limited_and_overdrawn_units_are_paid_back(
    engine: Engine, metrics: Metrics | None
) -> None:
    endpoint = Endpoint(engine, RateLimits(write_units=2), metrics=metrics)
    put = PutItem("votes", KEY | {"text": {"S": "x" * 5000}})
    assert endpoint.call(put, signing.ADA) == ""  # 5 units, 3 more than there are
    assert endpoint.call(put, signing.ADA) == "RequestLimitExceeded"
    assert endpoint.call(GetItem("votes", KEY), signing.ADA) == ""
    assert endpoint.call(put, BOB) == ""
    endpoint.now += 1.4
    assert endpoint.call(put, signing.ADA) == "RequestLimitExceeded"
    endpoint.now += 0.2
    assert endpoint.call(put, signing.ADA) == ""


def test_read_units_are_limited(engine: Engine) -> None:
    endpoint = Endpoint(engine, RateLimits(read_units=1))
    codes = [endpoint.call(Scan("votes"), signing.ADA) for _ in range(3)]
    assert codes == ["", "", "RequestLimitExceeded"]  # half a unit each
    assert endpoint.call(PutItem("votes", KEY), signing.ADA) == ""


def test_clock_that_is_set_back_does_not_stop_the_refill(engine: Engine) -> None:
    endpoint = Endpoint(engine, RateLimits(requests=1))
    assert endpoint.call(ListTables(), signing.ADA) == ""
    endpoint.now -= 3600
    assert endpoint.call(ListTables(), signing.ADA) == "ThrottlingException"
    endpoint.now += 1
    assert endpoint.call(ListTables(), signing.ADA) == ""
