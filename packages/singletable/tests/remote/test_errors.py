"""Error responses are converted into exceptions with all their details."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dynamodb_engine.wire import write_error
from singletable import errors
from singletable.errors import (
    CancellationReason,
    ConditionFailed,
    InternalError,
    OperationError,
    TableNotFound,
    Throttled,
    ThrottlingReason,
    TransactionCanceled,
)
from singletable.remote.errors import ERROR_TYPES, parse_error
from tests.remote.drivers import Send
from tests.remote.scripted_server import response, start_server
from tests.remote.test_connections import GET, UPDATE

MODEL = "com.amazonaws.dynamodb.v20120810#"
ITEM = {"PK": {"S": "a"}, "n": {"N": "1"}}


def parse(code: str, status: int = 400, /, **members: Any) -> OperationError:
    error = parse_error(status, json.dumps({"__type": MODEL + code, **members}).encode())
    assert error is not None
    return error


def subclasses(root: type[OperationError]) -> list[type[OperationError]]:
    return [root, *(error for child in root.__subclasses__() for error in subclasses(child))]


# Errors of the store (AlreadyExists, NotFound, …) have no code of their own at DynamoDB.
@pytest.mark.parametrize(
    "kind",
    [
        kind
        for kind in subclasses(OperationError)
        if kind.__module__ == errors.__name__
        and "code" in vars(kind)
        and kind is not OperationError
    ],
)
def test_every_dynamodb_error_is_parsed(kind: type[OperationError]) -> None:
    assert ERROR_TYPES[kind.code] is kind
    original = kind([]) if issubclass(kind, TransactionCanceled) else kind("why")
    status, body = write_error(original)
    error = parse_error(status, body)
    assert error is not None
    assert type(error) is kind
    assert error.message == original.message


def test_condition_failed_has_item() -> None:
    error = parse("ConditionalCheckFailedException", message="no", Item=ITEM)
    assert isinstance(error, ConditionFailed)
    assert error.item == ITEM


def test_transaction_canceled_has_reasons() -> None:
    reasons = [{"Code": "None"}, {"Code": "ConditionalCheckFailed", "Message": "m", "Item": ITEM}]
    error = parse("TransactionCanceledException", CancellationReasons=reasons)
    assert isinstance(error, TransactionCanceled)
    expected = CancellationReason("ConditionalCheckFailed", "m", ITEM)
    assert error.reasons == (CancellationReason(), expected)


def test_cancellation_reasons_are_parsed_from_message() -> None:
    text = "Transaction cancelled, … for specific reasons [None, TransactionConflict]"
    error = parse("TransactionCanceledException", Message=text)
    assert isinstance(error, TransactionCanceled)
    assert [reason.code for reason in error.reasons] == ["None", "TransactionConflict"]


@pytest.mark.parametrize("name", ["ThrottlingReasons", "throttlingReasons"])
def test_throttled_has_reasons(name: str) -> None:
    reasons = [{"reason": "TableReadKeyRangeThroughputExceeded", "resource": "arn:aws:x"}]
    members: dict[str, Any] = {name: reasons}
    error = parse("ThrottlingException", **members)
    assert isinstance(error, Throttled)
    expected = ThrottlingReason("TableReadKeyRangeThroughputExceeded", "arn:aws:x")
    assert error.throttling_reasons == (expected,)


def test_missing_table_is_distinguished_from_other_resources() -> None:
    error = parse("ResourceNotFoundException", message="Requested resource not found: Table: t …")
    assert isinstance(error, TableNotFound)


def test_unknown_error_keeps_code_and_message() -> None:
    error = parse("NewKindOfException", message="new error")
    assert type(error) is OperationError
    assert (error.code, error.message) == ("NewKindOfException", "new error")


def test_unknown_server_error_is_internal_error() -> None:
    error = parse("NewFailure", 500, message="oh")
    assert isinstance(error, InternalError)
    assert (error.code, error.message) == ("NewFailure", "oh")


def test_error_type_may_be_in_header() -> None:
    error = parse_error(400, b'{"message":"m"}', "ValidationException:http://internal/coral/")
    assert isinstance(error, errors.ValidationError)


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b"{}", b'{"__type":1}', b"\xff"])
def test_body_without_error_returns_none(body: bytes) -> None:
    assert parse_error(400, body) is None


def test_error_has_request_id(send: Send) -> None:
    body = json.dumps({"__type": MODEL + "ResourceNotFoundException", "message": "no"}).encode()
    with start_server([response(body, 400)]) as server:
        (error,) = send(server.address, GET)
        assert error.request_id == "R1"


# A load balancer that times out returns HTML; DynamoDB may have processed the request.
def test_gateway_error_is_internal_error(send: Send) -> None:
    page = b"HTTP/1.1 504 Gateway Timeout\r\nContent-Length: 6\r\n\r\n<html>"
    with start_server([page], [page], [response(b"{}")]) as server:
        (error,) = send(server.address, UPDATE)
        assert isinstance(error, InternalError)
        (output,) = send(server.address, GET, retries=True)
        assert not isinstance(output, Exception)
