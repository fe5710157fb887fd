"""The app rejects malformed requests as DynamoDB does, and always responds."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from typing import TypeVar
from zlib import crc32

import pytest
from msgspec import json

from dynamodb_engine.errors import StorageError
from dynamodb_engine.operations import Operation
from dynamodb_engine.server import DynamoDBApp
from dynamodb_engine.wire import HttpRequest, HttpResponse
from tools.testing.app_client import BALLOT, CONTENT_TYPE, KEY, AppClient, app_client, get, post

R = TypeVar("R")
COMMON = "com.amazon.coral.service#"


@pytest.fixture
def client() -> Iterator[AppClient]:
    with app_client() as client:
        yield client


def code_of(response: HttpResponse) -> str:
    return str(json.decode(response.body)["__type"])


def test_response_has_unique_request_id_and_checksum(client: AppClient) -> None:
    responses = [client.call("ListTables", {}), client.call("Nonsense", {}), client.send(get("/"))]
    ids = [response.headers["x-amzn-requestid"] for response in responses]
    assert all(re.fullmatch(r"[0-9A-Z]{52}", request_id) for request_id in ids)
    assert len(set(ids)) == 3
    for response in responses:
        assert response.headers["x-amz-crc32"] == str(crc32(response.body))


def test_health_check_names_region() -> None:
    client = AppClient(DynamoDBApp(FailingDriver(RuntimeError()), region="eu-west-2"))
    for path in ("/", "/ping", "/?x"):
        response = client.send(get(path))
        assert response.status == 200
        assert response.body == b"healthy: dynamodb.eu-west-2.amazonaws.com "
    assert [client.send(get(path)).status for path in ("/health", "/-", "//")] == [404] * 3


@pytest.mark.parametrize(
    "body",
    [b"", b"null", b"[]", b'"text"', b"7", b"{", b"{}}", b"\xff\xfe", b"[" * 100_000, b"NaN"],
    ids=["empty", "null", "array", "text", "number", "open", "closed", "bytes", "deep", "not JSON"],
)
def test_body_other_than_json_object_is_rejected(client: AppClient, body: bytes) -> None:
    response = client.call("GetItem", body)
    assert response.status == 400
    assert code_of(response) == f"{COMMON}SerializationException"


@pytest.mark.parametrize(
    "target",
    [
        "",
        "GetItem",
        "DynamoDB_20120810",
        "DynamoDB_20120810.",
        "DynamoDB_20120810.getitem",
        "DynamoDB_20111205.GetItem",
        "DynamoDB_20120810.Search-Vectors",
        "x" * 60_000,
    ],
    ids=lambda target: repr(target[:40]),
)
def test_unknown_target_is_rejected(client: AppClient, target: str) -> None:
    response = client.call("", {}, x_amz_target=target)
    assert response.status == 400
    assert json.decode(response.body) == {"__type": f"{COMMON}UnknownOperationException"}


# AWS has the operation: a program must be able to tell what is missing, and where.
@pytest.mark.parametrize("version", ["DynamoDB_20120810", "DynamoDBStreams_20120810"])
def test_operation_that_is_not_supported_is_named(client: AppClient, version: str) -> None:
    response = client.call("", {}, x_amz_target=f"{version}.SearchVectors")
    assert response.status == 400
    assert json.decode(response.body) == {
        "__type": f"{COMMON}UnknownOperationException",
        "message": "SearchVectors is not supported by singletable. See “Unsupported operations” "
        "in docs/compatibility.md.",
    }


def test_missing_target_is_rejected(client: AppClient) -> None:
    response = client.send(HttpRequest("POST", "/", {"content-type": CONTENT_TYPE}, b"{}"))
    assert code_of(response) == f"{COMMON}UnknownOperationException"


@pytest.mark.parametrize(
    "content_type", ["", "text/plain", "application/x-amz-json-1.1", "text/json"]
)
def test_other_content_type_is_rejected(client: AppClient, content_type: str) -> None:
    response = client.call("ListTables", {}, content_type=content_type)
    assert (response.status, response.body) == (404, b"<UnknownOperationException/>\n")


@pytest.mark.parametrize(
    "content_type",
    ["application/json", "application/x-amz-json-1.0; charset=utf-8", "Application/JSON"],
)
def test_other_json_content_types_are_accepted(client: AppClient, content_type: str) -> None:
    assert client.call("ListTables", {}, content_type=content_type).status == 200


# No CORS headers: a page of another site must not read the tables of the user who visits it.
@pytest.mark.parametrize("method", ["OPTIONS", "PUT", "DELETE", "PATCH", "TRACE"])
def test_other_methods_are_rejected_without_cors_headers(client: AppClient, method: str) -> None:
    headers = {"origin": "http://localhost:3000", "access-control-request-method": "POST"}
    response = client.send(HttpRequest(method, "/", headers, b""))
    assert response.status == 404
    assert not [name for name in response.headers if name.startswith("access-control")]


def test_compressed_request_is_decompressed(client: AppClient) -> None:
    body = gzip.compress(json.encode({"TableName": "votes", "Key": KEY}))
    response = client.call("GetItem", body, content_encoding="gzip")
    assert json.decode(response.body) == {"Item": BALLOT}


# Decompression stops at the limit.
def test_compressed_request_over_limit_is_rejected(client: AppClient) -> None:
    bomb = gzip.compress(b"{" + b" " * client.app.max_body + b"}")
    assert client.call("ListTables", bomb, content_encoding="gzip").status == 413


def test_body_may_have_sixteen_megabytes(client: AppClient) -> None:
    largest = b"{}".ljust(16 * 1024 * 1024)
    assert client.call("ListTables", largest).status == 200
    assert client.call("ListTables", largest + b" ").status == 413


class FailingDriver:
    """A driver that always raises."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    async def execute(self, operation: Operation[R], /) -> R:
        raise self.error


# The client retries, as it would with AWS. The cause goes to the log of the endpoint.
@pytest.mark.parametrize("error", [RuntimeError("SECRET"), StorageError("The disk is full.")])
def test_unexpected_error_is_internal_server_error_without_details(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    response = AppClient(DynamoDBApp(FailingDriver(error))).send(post("ListTables", {}))
    assert response.status == 500
    assert code_of(response).endswith("#InternalServerError")
    assert b"SECRET" not in response.body
    assert ("SECRET" in caplog.text) == isinstance(error, RuntimeError)
