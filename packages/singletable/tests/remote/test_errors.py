"""Error responses are converted into exceptions with all their details."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dynamodb_engine import errors as engine_errors
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
from tools.testing.cases import every

MODEL = "com.amazonaws.dynamodb.v20120810#"
ITEM = {"PK": {"S": "a"}, "n": {"N": "1"}}
CODE, THROTTLING = "TransactionCanceledException", "throttling_reasons"


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
        if kind.__module__ == engine_errors.__name__
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


NONE = CancellationReason()
FAILED = CancellationReason("ConditionalCheckFailed", "m", ITEM)
SLOW = ThrottlingReason("TableReadKeyRangeThroughputExceeded", "arn:aws:x")
CANCELED = [{"Code": "None"}, {"Code": FAILED.code, "Message": "m", "Item": ITEM}]
REASONS = [{"reason": SLOW.reason, "resource": SLOW.resource}]
IN_TEXT = "Transaction cancelled, … for specific reasons [None, TransactionConflict]"
CONFLICT = (NONE, CancellationReason("TransactionConflict"))
NO_TABLE = "Requested resource not found: Table: t …"
# The code and the status of a response, its other members, the error, and one of its attributes.
DETAILS: list[tuple[str, int, dict[str, Any], type[OperationError], str, object]] = [
    ("ConditionalCheckFailedException", 400, {"Item": ITEM}, ConditionFailed, "item", ITEM),
    (CODE, 400, {"CancellationReasons": CANCELED}, TransactionCanceled, "reasons", (NONE, FAILED)),
    (CODE, 400, {"Message": IN_TEXT}, TransactionCanceled, "reasons", CONFLICT),
    ("ThrottlingException", 400, {"ThrottlingReasons": REASONS}, Throttled, THROTTLING, (SLOW,)),
    ("ThrottlingException", 400, {"throttlingReasons": REASONS}, Throttled, THROTTLING, (SLOW,)),
    ("ResourceNotFoundException", 400, {"message": NO_TABLE}, TableNotFound, "message", NO_TABLE),
    ("NewKindOfException", 400, {"message": "new"}, OperationError, "code", "NewKindOfException"),
    ("NewKindOfException", 400, {"message": "new"}, OperationError, "message", "new"),
    ("NewFailure", 500, {"message": "oh"}, InternalError, "code", "NewFailure"),
    ("NewFailure", 500, {"message": "oh"}, InternalError, "message", "oh"),
]


@every(("code", "status", "members", "kind", "attribute", "value"), DETAILS)
def test_error_has_the_details_of_the_response(
    code: str,
    status: int,
    members: dict[str, Any],
    kind: type[OperationError],
    attribute: str,
    value: object,
) -> None:
    error = parse(code, status, **members)
    assert type(error) is kind
    assert getattr(error, attribute) == value


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
