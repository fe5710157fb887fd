"""The app with a guard and with injected faults."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from msgspec import json

from dynamodb_engine.engine import AsyncEngine, Engine
from dynamodb_engine.faults import AsyncFaultyDriver, Faults, HeaderFaults
from dynamodb_engine.operations import (
    AsyncDriver,
    AttributeDefinition,
    CreateTable,
    KeySchemaElement,
)
from dynamodb_engine.server import AccessLog, DynamoDBApp, Guard, Metrics, Observer
from dynamodb_engine.server.guard import Credential
from dynamodb_engine.server.guard.signature import SIGNED_IF_SENT
from dynamodb_engine.wire import HttpRequest, HttpResponse
from tests.server.guard import signing
from tools.testing.app_client import KEY, VOTES, AppClient, get

TABLE = CreateTable(
    "votes",
    [AttributeDefinition("pk", "S")],
    [KeySchemaElement("pk", "HASH")],
    billing_mode="PAY_PER_REQUEST",
)
FILE = """
[[credential]]
name = "ada"
access_key_id = "AKIAADA"
secret_access_key = "secret of ada"

[[credential]]
name = "bob"
access_key_id = "AKIABOB"
secret_access_key = "secret of bob"

[credential.policy]
Version = "2012-10-17"

[[credential.policy.Statement]]
Effect = "Allow"
Action = "dynamodb:GetItem"
Resource = "*"
"""


@pytest.fixture
def engine() -> Engine:
    engine = Engine.in_memory()
    engine.execute(TABLE)
    return engine


@pytest.fixture
def guard(tmp_path: Path) -> Guard:
    path = tmp_path / "credentials.toml"
    path.write_text(FILE)
    path.chmod(0o600)
    return Guard.from_file(path, clock=lambda: signing.NOW)


def request(operation: str, body: object, **headers: str) -> HttpRequest:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    head = {
        "content-type": "application/x-amz-json-1.0",
        "x-amz-target": f"DynamoDB_20120810.{operation}",
        **named,
    }
    return HttpRequest("POST", "/", head, json.encode(body))


def signed(name: str, request: HttpRequest) -> HttpRequest:
    """Return the request signed as an AWS SDK signs it."""
    keys = Credential(name, f"AKIA{name.upper()}", f"secret of {name}")
    return signing.signed(keys, headers=dict(request.headers), body=request.body)


def faulty_app(driver: AsyncDriver, **options: Any) -> DynamoDBApp:
    return DynamoDBApp(driver, driver_for=HeaderFaults(driver), **options)


def respond(app: DynamoDBApp, request: HttpRequest) -> HttpResponse:
    return asyncio.run(app.handle(request))


def error_code(response: HttpResponse) -> str:
    return str(json.decode(response.body).get("__type", "")).partition("#")[2]


PUT = request("PutItem", {"TableName": "votes", "Item": {"pk": {"S": "a"}}})
GET = request("GetItem", {"TableName": "votes", "Key": {"pk": {"S": "a"}}})


def test_unsigned_request_is_rejected(engine: Engine, guard: Guard) -> None:
    app = DynamoDBApp(AsyncEngine(engine), guard=guard)
    assert error_code(respond(app, PUT)) == "MissingAuthenticationTokenException"
    assert error_code(respond(app, signed("eve", PUT))) == "UnrecognizedClientException"


def test_signed_request_is_held_to_its_policy(engine: Engine, guard: Guard) -> None:
    app = DynamoDBApp(AsyncEngine(engine), guard=guard)
    assert respond(app, signed("ada", PUT)).status == 200
    assert respond(app, signed("bob", GET)).status == 200
    response = respond(app, signed("bob", PUT))
    assert error_code(response) == "AccessDeniedException"
    assert b"user/bob is not authorized to perform: dynamodb:PutItem" in response.body


class RecordedHeaders(dict[str, str]):
    """Headers that remember which of them were used."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        super().__init__(headers)
        self.used: set[str] = set()

    def get(self, name: str, default: Any = None) -> Any:
        self.used.add(name)
        return super().get(name, default)


# These change how a request is answered, not what it does, or are part of every signature.
UNSIGNED = {"accept-encoding", "authorization", "content-type", "date", "host", "user-agent"}


def test_headers_that_decide_what_a_request_does_must_be_signed(
    engine: Engine, guard: Guard, tmp_path: Path
) -> None:
    request = signed("ada", PUT)
    headers = RecordedHeaders(request.headers)
    with AccessLog(str(tmp_path / "access.log")) as log:
        observer = Observer(Metrics(), log)
        app = faulty_app(AsyncEngine(engine), guard=guard, observer=observer)
        assert respond(app, HttpRequest("POST", "/", headers, request.body)).status == 200
    assert {"x-amz-target", "x-singletable-faults", "content-encoding"} <= headers.used
    assert {name for name in headers.used if not name.startswith(SIGNED_IF_SENT)} <= UNSIGNED


# As in AWS, an unknown operation is reported before the signature is checked.
def test_target_is_checked_before_signature_and_signature_before_body(
    engine: Engine, guard: Guard
) -> None:
    app = DynamoDBApp(AsyncEngine(engine), guard=guard)
    assert error_code(respond(app, request("Nonsense", {}))) == "UnknownOperationException"
    bad = request("PutItem", {"TableName": 5})
    assert error_code(respond(app, bad)) == "MissingAuthenticationTokenException"
    assert error_code(respond(app, signed("ada", bad))) == "SerializationException"


def test_faulty_driver_affects_all_requests(engine: Engine) -> None:
    app = DynamoDBApp(AsyncFaultyDriver(AsyncEngine(engine), Faults(throttle=1)))
    response = respond(app, PUT)
    assert error_code(response) in ("ProvisionedThroughputExceededException", "ThrottlingException")
    assert response.status == 400


def with_faults(faults: str) -> HttpRequest:
    return HttpRequest("POST", "/", {**PUT.headers, "x-singletable-faults": faults}, PUT.body)


# Otherwise a thousand requests would keep all connections busy for a day.
def test_fault_header_delays_few_requests_and_not_for_long(engine: Engine) -> None:
    delayed = asyncio.Semaphore(0)

    async def sleep(seconds: float) -> None:
        await delayed.acquire()

    async def responses() -> list[HttpResponse]:
        app = faulty_app(AsyncFaultyDriver(AsyncEngine(engine), sleep=sleep))
        assert (await app.handle(with_faults("latency=4s,jitter=2s"))).status == 400
        first = [asyncio.create_task(app.handle(with_faults("latency=5s"))) for _ in range(100)]
        await asyncio.sleep(0)
        rejected = await app.handle(with_faults("latency=1ms"))
        plain = await app.handle(GET)
        for _ in range(101):
            delayed.release()
        await asyncio.gather(*first)
        return [rejected, plain, await app.handle(with_faults("latency=1ms"))]

    rejected, plain, later = asyncio.run(responses())
    assert (rejected.status, plain.status, later.status) == (400, 200, 200)
    assert b"100 requests" in rejected.body


def test_fault_header_affects_its_request_only(engine: Engine) -> None:
    app = faulty_app(AsyncEngine(engine))
    response = respond(app, with_faults("internal=1"))
    assert (response.status, error_code(response)) == (500, "InternalServerError")
    assert respond(app, PUT).status == 200
    assert respond(app, GET).body == b'{"Item":{"pk":{"S":"a"}}}'


def test_invalid_fault_header_is_rejected(engine: Engine) -> None:
    app = faulty_app(AsyncEngine(engine))
    response = respond(app, with_faults("weather=1"))
    assert (response.status, error_code(response)) == (400, "ValidationException")
    assert b"weather" in response.body


def guarded_client(observer: Observer, engine: Engine) -> AppClient:
    guard = Guard([signing.ADA], clock=lambda: signing.NOW)
    return AppClient(DynamoDBApp(AsyncEngine(engine), guard=guard, observer=observer))


def test_access_log_names_the_signer(tmp_path: Path) -> None:
    path = tmp_path / "access.log"
    with AccessLog(str(path)) as log, Engine.in_memory() as engine:
        client = guarded_client(Observer(log=log), engine)
        client.send(signing.signed())
        client.call("ListTables", {})
    known, unknown = [json.decode(line) for line in path.read_bytes().splitlines()]
    assert (known["identity"], known["operation"]) == ("ada", "DescribeTable")
    assert unknown["identity"] is None
    assert unknown["error"] == "MissingAuthenticationTokenException"
    assert signing.ADA.access_key_id not in path.read_text()


# Prometheus cannot sign its requests.
@pytest.mark.parametrize(("client", "status"), [("127.0.0.1", 200), ("192.0.2.1", 403)])
def test_metrics_need_a_loopback_client_with_guard_too(client: str, status: int) -> None:
    with Engine.in_memory() as engine:
        page = guarded_client(Observer(Metrics()), engine).send(get("/metrics", client))
    assert page.status == status


def test_injected_throttling_is_counted_as_throttling() -> None:
    metrics = Metrics()
    with Engine.in_memory() as engine:
        faulty = AsyncFaultyDriver(AsyncEngine(engine))
        client = AppClient(DynamoDBApp(faulty, observer=Observer(metrics)))
        client.output("CreateTable", VOTES)
        faulty.faults = Faults(throttle=1.0)
        client.call("GetItem", {"TableName": "votes", "Key": KEY})
    assert metrics.throttles == {("GetItem", "votes"): 1}
    assert metrics.units["read"] == {}
