"""The endpoint with a guard and with faults: who may ask, and what goes wrong on purpose."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from msgspec import json

from singletable.engine import AsyncEngine, Engine
from singletable.faults import AsyncFaultyDriver, Faults
from singletable.operations import AttributeDefinition, CreateTable, KeySchemaElement
from singletable.server import DynamoDBApp, Guard
from singletable.server.guard import Credential
from singletable.wire import HttpRequest, HttpResponse
from tests.server.guard import signing

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


def signed(name: str, asked: HttpRequest) -> HttpRequest:
    """The request as a client of AWS would sign it."""
    keys = Credential(name, f"AKIA{name.upper()}", f"secret of {name}")
    return signing.signed(keys, headers=dict(asked.headers), body=asked.body)


def answer(app: DynamoDBApp, asked: HttpRequest) -> HttpResponse:
    return asyncio.run(app.answer(asked))


def code(response: HttpResponse) -> str:
    return str(json.decode(response.body).get("__type", "")).partition("#")[2]


PUT = request("PutItem", {"TableName": "votes", "Item": {"pk": {"S": "a"}}})
GET = request("GetItem", {"TableName": "votes", "Key": {"pk": {"S": "a"}}})


def test_who_does_not_sign_is_not_let_in(engine: Engine, guard: Guard) -> None:
    app = DynamoDBApp(AsyncEngine(engine), guard=guard)
    assert code(answer(app, PUT)) == "MissingAuthenticationTokenException"
    assert code(answer(app, signed("eve", PUT))) == "UnrecognizedClientException"


def test_who_signs_may_do_what_their_policy_allows(engine: Engine, guard: Guard) -> None:
    app = DynamoDBApp(AsyncEngine(engine), guard=guard)
    assert answer(app, signed("ada", PUT)).status == 200
    assert answer(app, signed("bob", GET)).status == 200
    refused = answer(app, signed("bob", PUT))
    assert code(refused) == "AccessDeniedException"
    assert b"user/bob is not authorized to perform: dynamodb:PutItem" in refused.body


# As at AWS: an operation that does not exist is told before anyone is asked who they are.
def test_the_target_is_looked_at_first_then_the_signature_then_the_shape(
    engine: Engine, guard: Guard
) -> None:
    app = DynamoDBApp(AsyncEngine(engine), guard=guard)
    assert code(answer(app, request("Nonsense", {}))) == "UnknownOperationException"
    bad = request("PutItem", {"TableName": 5})
    assert code(answer(app, bad)) == "MissingAuthenticationTokenException"
    assert code(answer(app, signed("ada", bad))) == "SerializationException"


def test_faults_strike_for_the_whole_run(engine: Engine) -> None:
    app = DynamoDBApp(AsyncFaultyDriver(AsyncEngine(engine), Faults(throttle=1)))
    response = answer(app, PUT)
    assert code(response) in ("ProvisionedThroughputExceededException", "ThrottlingException")
    assert response.status == 400


def test_faults_strike_the_request_that_asks_for_them(engine: Engine) -> None:
    app = DynamoDBApp(AsyncEngine(engine))
    asks = HttpRequest("POST", "/", {**PUT.headers, "x-singletable-faults": "internal=1"}, PUT.body)
    struck = answer(app, asks)
    assert (struck.status, code(struck)) == (500, "InternalServerError")
    assert answer(app, PUT).status == 200
    assert answer(app, GET).body == b'{"Item":{"pk":{"S":"a"}}}'


def test_faults_that_make_no_sense_are_refused(engine: Engine) -> None:
    app = DynamoDBApp(AsyncEngine(engine))
    asks = HttpRequest("POST", "/", {**PUT.headers, "x-singletable-faults": "weather=1"}, PUT.body)
    refused = answer(app, asks)
    assert (refused.status, code(refused)) == (400, "ValidationException")
    assert b"weather" in refused.body
