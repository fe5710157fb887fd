"""The application: what is asked wrongly is refused as DynamoDB refuses it, and always answered."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Callable, Iterator
from typing import TypeVar
from zlib import crc32

import pytest
from msgspec import json

from singletable.errors import StorageError
from singletable.operations import Operation
from singletable.server import DynamoDBApp
from singletable.wire import HttpRequest, HttpResponse
from tests.server.asking import BALLOT, KEY, KIND, Desk, desk, get, post

R = TypeVar("R")
COMMON = "com.amazon.coral.service#"


@pytest.fixture
def asked() -> Iterator[Desk]:
    with desk() as one:
        yield one


def code_of(response: HttpResponse) -> str:
    return str(json.decode(response.body)["__type"])


def test_each_answer_has_an_id_of_its_own_and_a_checksum(asked: Desk) -> None:
    answers = [asked.ask("ListTables", {}), asked.ask("Nonsense", {}), asked.answer(get("/"))]
    ids = [answer.headers["x-amzn-requestid"] for answer in answers]
    assert all(re.fullmatch(r"[0-9A-Z]{52}", one) for one in ids)
    assert len(set(ids)) == 3
    for answer in answers:
        assert answer.headers["x-amz-crc32"] == str(crc32(answer.body))


def test_a_health_check_names_the_region() -> None:
    asked = Desk(DynamoDBApp(Broken(RuntimeError()), region="eu-west-2"))
    response = asked.answer(get("/"))
    assert response.status == 200
    assert response.body == b"healthy: dynamodb.eu-west-2.amazonaws.com "


@pytest.mark.parametrize(
    "body",
    [b"", b"null", b"[]", b'"text"', b"7", b"{", b"{}}", b"\xff\xfe", b"[" * 100_000, b"NaN"],
    ids=["empty", "null", "array", "text", "number", "open", "closed", "bytes", "deep", "no JSON"],
)
def test_a_body_that_is_no_object_is_refused(asked: Desk, body: bytes) -> None:
    response = asked.ask("GetItem", body)
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
        "DynamoDB_20120810.ExecuteStatement",
        "x" * 60_000,
    ],
    ids=lambda target: repr(target[:40]),
)
def test_an_operation_that_is_not_there_is_refused(asked: Desk, target: str) -> None:
    response = asked.ask("", {}, x_amz_target=target)
    assert response.status == 400
    assert json.decode(response.body) == {"__type": f"{COMMON}UnknownOperationException"}


def test_a_request_without_a_target_is_refused(asked: Desk) -> None:
    response = asked.answer(HttpRequest("POST", "/", {"content-type": KIND}, b"{}"))
    assert code_of(response) == f"{COMMON}UnknownOperationException"


@pytest.mark.parametrize("kind", ["", "text/plain", "application/x-amz-json-1.1", "text/json"])
def test_a_body_of_another_kind_is_refused(asked: Desk, kind: str) -> None:
    response = asked.ask("ListTables", {}, content_type=kind)
    assert (response.status, response.body) == (404, b"<UnknownOperationException/>\n")


@pytest.mark.parametrize(
    "kind", ["application/json", "application/x-amz-json-1.0; charset=utf-8", "Application/JSON"]
)
def test_json_by_its_other_names_is_taken(asked: Desk, kind: str) -> None:
    assert asked.ask("ListTables", {}, content_type=kind).status == 200


# A page of another site may not read the tables of whoever looks at it: browsers ask first, and
# are not allowed.
@pytest.mark.parametrize("method", ["OPTIONS", "PUT", "DELETE", "PATCH", "TRACE"])
def test_other_methods_are_sent_away(asked: Desk, method: str) -> None:
    headers = {"origin": "https://example.com", "access-control-request-method": "POST"}
    response = asked.answer(HttpRequest(method, "/", headers, b""))
    assert response.status == 404
    assert not [name for name in response.headers if name.startswith("access-control")]


@pytest.mark.parametrize(
    ("packing", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress)], ids=["gzip", "zlib"]
)
def test_packed_requests_are_understood(
    asked: Desk, packing: str, pack: Callable[[bytes], bytes]
) -> None:
    body = pack(json.encode({"TableName": "votes", "Key": KEY}))
    response = asked.ask("GetItem", body, content_encoding=packing)
    assert json.decode(response.body) == {"Item": BALLOT}


# What unpacks to more than a request may be is not unpacked further.
def test_a_packed_request_may_not_unpack_to_more_than_a_plain_one(asked: Desk) -> None:
    bomb = gzip.compress(b"{" + b" " * asked.app.max_body + b"}")
    assert asked.ask("ListTables", bomb, content_encoding="gzip").status == 413


# Sixteen megabytes, to the byte.
def test_a_large_request_is_answered_up_to_the_limit(asked: Desk) -> None:
    largest = b"{}".ljust(16 * 1024 * 1024)
    assert asked.ask("ListTables", largest).status == 200
    assert asked.ask("ListTables", largest + b" ").status == 413


class Broken:
    """A driver that something is wrong with."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    async def execute(self, operation: Operation[R], /) -> R:
        raise self.error


# The client retries, as it would at AWS; what is wrong is for whoever runs the endpoint.
@pytest.mark.parametrize("error", [RuntimeError("SECRET"), StorageError("The disk is full.")])
def test_a_fault_of_ours_is_an_internal_error(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    response = Desk(DynamoDBApp(Broken(error))).answer(post("ListTables", {}))
    assert response.status == 500
    assert code_of(response).endswith("#InternalServerError")
    assert b"SECRET" not in response.body
    assert ("SECRET" in caplog.text) == isinstance(error, RuntimeError)
