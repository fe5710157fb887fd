"""Send requests to an app with an engine in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from msgspec import json

from dynamodb_engine import Item
from dynamodb_engine.engine import AsyncEngine, Engine
from dynamodb_engine.server import DynamoDBApp, Observer
from dynamodb_engine.wire import HttpRequest, HttpResponse

CONTENT_TYPE = "application/x-amz-json-1.0"

# A table with a local and a global secondary index.
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
    """Return a request for an operation; in header names, _ stands for -."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    target = {"content-type": CONTENT_TYPE, "x-amz-target": f"DynamoDB_20120810.{operation}"}
    raw = body if isinstance(body, bytes) else json.encode(body)
    return HttpRequest("POST", "/", target | named, raw, "127.0.0.1")


def get(target: str, client: str = "127.0.0.1") -> HttpRequest:
    """Return a GET request."""
    return HttpRequest("GET", target, {}, b"", client)


class AppClient:
    """A synchronous client of an app."""

    def __init__(self, app: DynamoDBApp) -> None:
        self.app = app

    def send(self, request: HttpRequest) -> HttpResponse:
        """Return the response to a request."""
        return asyncio.run(self.app.handle(request))

    def call(self, operation: str, body: object, **headers: str) -> HttpResponse:
        """Return the response to an operation."""
        return self.send(post(operation, body, **headers))

    def output(self, operation: str, body: object) -> Any:
        """Return the output of an operation, which must succeed."""
        response = self.call(operation, body)
        assert response.status == 200, response.body
        return json.decode(response.body)


@contextmanager
def app_client(observer: Observer | None = None) -> Generator[AppClient]:
    """Yield a client of an app that has the table `votes` with one ballot."""
    with Engine.in_memory() as engine:
        client = AppClient(DynamoDBApp(AsyncEngine(engine), observer=observer))
        client.output("CreateTable", VOTES)
        client.output("PutItem", {"TableName": "votes", "Item": BALLOT})
        yield client
