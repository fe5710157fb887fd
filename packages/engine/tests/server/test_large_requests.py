"""Requests that take long are executed in threads: others are answered meanwhile."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Generator
from pathlib import Path

import pytest
from msgspec import json

from dynamodb_engine import Item
from dynamodb_engine.engine import AsyncEngine, Engine
from dynamodb_engine.faults import AsyncFaultyDriver, HeaderFaults
from dynamodb_engine.server import DynamoDBApp
from dynamodb_engine.wire import HttpRequest, HttpResponse, read_request
from tools.testing.app_client import BALLOT, KEY, VOTES, post

GET = post("GetItem", {"TableName": "votes", "Key": KEY})
TEXT = "x" * 1000


def _voter(number: int) -> Item:
    return {"pk": {"S": "long"}, "sk": {"S": f"{number:04}"}, "text": {"S": TEXT}}


VALUES = {":p": {"S": "long"}, ":t": {"S": "y"}}
MANY = " or ".join(f"c{number} = :t" for number in range(50))
ACTIONS: list[object] = [
    {"Put": {"TableName": "votes", "Item": _voter(1000 + number)}} for number in range(11)
]
LARGE: Item = {**KEY, "text": {"S": TEXT * 100}}
LONG: dict[str, HttpRequest] = {
    "large": post("PutItem", {"TableName": "votes", "Item": LARGE}),
    "large and rejected": post(
        "PutItem", {"TableName": "votes", "Item": {**LARGE, "n": {"N": "x"}}}
    ),
    "compressed": post(
        "PutItem",
        gzip.compress(json.encode({"TableName": "votes", "Item": LARGE})),
        content_encoding="gzip",
    ),
    "filtered": post(
        "Query",
        {
            "TableName": "votes",
            "KeyConditionExpression": "pk = :p",
            "FilterExpression": MANY,
            "ExpressionAttributeValues": VALUES,
        },
    ),
    "large response": post(
        "Query",
        {
            "TableName": "votes",
            "KeyConditionExpression": "pk = :p",
            "ExpressionAttributeValues": {":p": VALUES[":p"]},
        },
        accept_encoding="gzip",
    ),
    "transaction": post("TransactWriteItems", {"TransactItems": ACTIONS}),
    "long condition": post(
        "PutItem",
        {
            "TableName": "votes",
            "Item": BALLOT,
            "ConditionExpression": MANY,
            "ExpressionAttributeValues": {":t": VALUES[":t"]},
        },
    ),
}

REJECTED = ("large and rejected", "long condition")


@pytest.fixture
def engine(tmp_path: Path) -> Generator[Engine]:
    with Engine.on_file(tmp_path / "tables.db") as engine:
        for operation, body in (
            ("CreateTable", VOTES),
            *(("PutItem", {"TableName": "votes", "Item": _voter(number)}) for number in range(80)),
        ):
            engine.execute(read_request(f"DynamoDB_20120810.{operation}", json.encode(body)))
        yield engine


@pytest.mark.parametrize("name", LONG)
def test_small_request_is_answered_before_a_long_one(engine: Engine, name: str) -> None:
    async def run() -> tuple[list[str], HttpResponse]:
        app = DynamoDBApp(AsyncEngine(engine))
        answered: list[str] = []

        async def send(label: str, request: HttpRequest) -> HttpResponse:
            response = await app.handle(request)
            answered.append(label)
            return response

        long, _ = await asyncio.gather(send("long", LONG[name]), send("small", GET))
        return answered, long

    answered, response = asyncio.run(run())
    assert answered == ["small", "long"]
    assert response.status == (400 if name in REJECTED else 200)


def test_large_requests_take_turns(engine: Engine) -> None:
    async def run() -> set[int]:
        app = DynamoDBApp(AsyncEngine(engine))
        responses = await asyncio.gather(*(app.handle(LONG["large"]) for _ in range(5)))
        return {response.status for response in responses}

    assert asyncio.run(run()) == {200}


def test_large_request_needs_nothing_special_of_a_driver(engine: Engine) -> None:
    app = DynamoDBApp(AsyncFaultyDriver(AsyncEngine(engine)))
    assert asyncio.run(app.handle(LONG["large"])).status == 200


def test_delayed_large_request_does_not_delay_others(engine: Engine) -> None:
    async def run() -> list[str]:
        driver = AsyncEngine(engine)
        app = DynamoDBApp(driver, driver_for=HeaderFaults(driver))
        answered: list[str] = []

        async def send(label: str, request: HttpRequest) -> None:
            assert (await app.handle(request)).status == 200
            answered.append(label)

        large = {"TableName": "votes", "Item": LARGE}
        delayed = post("PutItem", large, x_singletable_faults="latency=0.5s")
        await asyncio.gather(send("delayed", delayed), send("large", LONG["large"]))
        return answered

    assert asyncio.run(run()) == ["large", "delayed"]
