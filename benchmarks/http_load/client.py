"""A client that prepares tables and checks results; it is never timed."""

from __future__ import annotations

import time
from collections.abc import Iterable
from http.client import HTTPConnection, HTTPException
from typing import TypedDict, TypeVar

import msgspec

from benchmarks.harness import workload
from benchmarks.harness.measurement import WrongResult
from singletable import CreateTable, DescribeTable, Item, Operation

R = TypeVar("R")

TIMEOUT = 60.0
_POLL_INTERVAL = 0.05
# A signature of the usual form; no server here checks it.
HEADERS = {
    "Content-Type": "application/x-amz-json-1.0",
    "X-Amz-Date": "20260101T000000Z",
    "Authorization": (
        "AWS4-HMAC-SHA256 Credential=nobody/20260101/us-east-1/dynamodb/aws4_request, "
        f"SignedHeaders=host;x-amz-date;x-amz-target, Signature={'0' * 64}"
    ),
}


class TableStatus(TypedDict):
    """The used part of a table description."""

    TableStatus: str


class Output(TypedDict, total=False):
    """The used parts of outputs."""

    Item: Item
    Items: list[Item]
    Count: int
    LastEvaluatedKey: Item
    UnprocessedItems: dict[str, object]
    Table: TableStatus


_decode = msgspec.json.Decoder(Output).decode


def target_header(operation: str) -> str:
    """Return the X-Amz-Target header of an operation."""
    return f"DynamoDB_20120810.{operation}"


class Client:
    """A connection to a server on this machine."""

    def __init__(self, port: int) -> None:
        self._connection = HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)

    def execute(self, operation: Operation[R]) -> Output:
        """Return the output of an operation, or raise WrongResult."""
        return _decode(self.send(type(operation).__name__, msgspec.json.encode(operation)))

    def send(self, operation: str, request: bytes) -> bytes:
        """Return the body of the response, or raise WrongResult."""
        headers = HEADERS | {"X-Amz-Target": target_header(operation)}
        try:
            self._connection.request("POST", "/", request, headers)
            response = self._connection.getresponse()
            body = response.read()
        except (OSError, HTTPException) as error:
            self._connection.close()
            raise WrongResult(f"{operation}: {type(error).__name__} {error}") from error
        if response.status != 200:
            raise WrongResult(f"{operation}: {response.status} {body.decode()[:200]}")
        return body

    def create(self, table: CreateTable) -> None:
        """Create a table and wait until it is active."""
        self.execute(table)
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline:
            described = self.execute(DescribeTable(table.table_name)).get("Table")
            if described is not None and described["TableStatus"] == "ACTIVE":
                return
            time.sleep(_POLL_INTERVAL)
        raise WrongResult(f"CreateTable: the table is not active after {TIMEOUT:.0f} seconds")

    def fill(self, items: Iterable[Item], table: str = workload.TABLE) -> None:
        """Put many items, 25 at a time."""
        for batch in workload.batches(items, table):
            if self.execute(batch).get("UnprocessedItems"):
                raise WrongResult("BatchWriteItem: some items were not processed")

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()
