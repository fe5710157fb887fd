"""Requests as clients send them, to an application around an engine in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from msgspec import json

from singletable import Item
from singletable.engine import AsyncEngine, Engine
from singletable.server import DynamoDBApp, Observer
from singletable.wire import HttpRequest, HttpResponse

KIND = "application/x-amz-json-1.0"

# A table with an index of each kind.
VOTES: dict[str, object] = {
    "TableName": "votes",
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [
        {"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk", "voter", "day")
    ],
    "KeySchema": [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ],
    "LocalSecondaryIndexes": [
        {
            "IndexName": "by_day",
            "KeySchema": [
                {"AttributeName": "pk", "KeyType": "HASH"},
                {"AttributeName": "day", "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "by_voter",
            "KeySchema": [{"AttributeName": "voter", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
}
KEY: Item = {"pk": {"S": "poll"}, "sk": {"S": "ada"}}
BALLOT: Item = {**KEY, "voter": {"S": "ada"}, "day": {"S": "monday"}, "choice": {"S": "tea"}}


def post(operation: str, body: object, **headers: str) -> HttpRequest:
    """A request for an operation; header names have _ for -."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    target = {"content-type": KIND, "x-amz-target": f"DynamoDB_20120810.{operation}"}
    raw = body if isinstance(body, bytes) else json.encode(body)
    return HttpRequest("POST", "/", target | named, raw, "127.0.0.1")


def get(target: str, client: str = "127.0.0.1") -> HttpRequest:
    """A request as browsers and Prometheus send it."""
    return HttpRequest("GET", target, {}, b"", client)


class Desk:
    """An application that is asked one request after the other."""

    def __init__(self, app: DynamoDBApp) -> None:
        self.app = app

    def answer(self, request: HttpRequest) -> HttpResponse:
        """The response."""
        return asyncio.run(self.app.answer(request))

    def ask(self, operation: str, body: object, **headers: str) -> HttpResponse:
        """The response to an operation."""
        return self.answer(post(operation, body, **headers))

    def told(self, operation: str, body: object) -> Any:
        """What an operation that succeeds is answered with."""
        response = self.ask(operation, body)
        assert response.status == 200, response.body
        return json.decode(response.body)


@contextmanager
def desk(observer: Observer | None = None) -> Generator[Desk]:
    """An application with the table `votes`, and a ballot in it."""
    with Engine.in_memory() as engine:
        desk = Desk(DynamoDBApp(AsyncEngine(engine), observer=observer))
        desk.told("CreateTable", VOTES)
        desk.told("PutItem", {"TableName": "votes", "Item": BALLOT})
        yield desk
