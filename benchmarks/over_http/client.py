"""A plain client: it prepares and checks, and is never timed."""

from __future__ import annotations

import time
from collections.abc import Iterable
from http.client import HTTPConnection, HTTPException
from typing import TypedDict, TypeVar

import msgspec

from benchmarks.measuring.missing import WrongAnswer
from benchmarks.workload import requests
from singletable import CreateTable, DescribeTable, Item, Operation

R = TypeVar("R")

PATIENCE = 60.0
_PAUSE = 0.05
# Nobody's signature: of the usual form, and no server here checks it.
HEADERS = {
    "Content-Type": "application/x-amz-json-1.0",
    "X-Amz-Date": "20260101T000000Z",
    "Authorization": (
        "AWS4-HMAC-SHA256 Credential=nobody/20260101/us-east-1/dynamodb/aws4_request, "
        f"SignedHeaders=host;x-amz-date;x-amz-target, Signature={'0' * 64}"
    ),
}


class Described(TypedDict):
    """As much of a table's description as is looked at."""

    TableStatus: str


class Answer(TypedDict, total=False):
    """As much of the answers as is looked at."""

    Item: Item
    Items: list[Item]
    Count: int
    LastEvaluatedKey: Item
    UnprocessedItems: dict[str, object]
    Table: Described


_decode = msgspec.json.Decoder(Answer).decode


def target_of(operation: str) -> str:
    """The operation as the header names it."""
    return f"DynamoDB_20120810.{operation}"


class Client:
    """One connection to a server on this machine."""

    def __init__(self, port: int) -> None:
        self._connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)

    def ask(self, operation: Operation[R]) -> Answer:
        """The answer to an operation; WrongAnswer if it is refused."""
        return _decode(self.send(type(operation).__name__, msgspec.json.encode(operation)))

    def send(self, operation: str, body: bytes) -> bytes:
        """The body of the answer; WrongAnswer if the server refuses, or has gone."""
        headers = HEADERS | {"X-Amz-Target": target_of(operation)}
        try:
            self._connection.request("POST", "/", body, headers)
            response = self._connection.getresponse()
            answer = response.read()
        except (OSError, HTTPException) as error:
            self._connection.close()
            raise WrongAnswer(f"{operation}: {type(error).__name__} {error}") from error
        if response.status != 200:
            raise WrongAnswer(f"{operation}: {response.status} {answer.decode()[:200]}")
        return answer

    def create(self, table: CreateTable) -> None:
        """Make a table, and wait until it is there."""
        self.ask(table)
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            described = self.ask(DescribeTable(table.table_name)).get("Table")
            if described is not None and described["TableStatus"] == "ACTIVE":
                return
            time.sleep(_PAUSE)
        raise WrongAnswer(f"CreateTable: after {PATIENCE:.0f} seconds the table is not active")

    def fill(self, items: Iterable[Item], table: str = requests.TABLE) -> None:
        """Store many items, 25 at a time."""
        for batch in requests.batches(items, table):
            if self.ask(batch).get("UnprocessedItems"):
                raise WrongAnswer("BatchWriteItem: items were left unprocessed")

    def close(self) -> None:
        """Hang up."""
        self._connection.close()
