"""An error response becomes our exception for it, with all that it carries."""

from __future__ import annotations

import json
from typing import Any

import pytest

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
from singletable.remote.refusals import KINDS, refusal
from singletable.wire import write_error
from tests.remote.faces import Asking
from tests.remote.scripted import response, scripted
from tests.remote.test_connections import GET, UPDATE

MODEL = "com.amazonaws.dynamodb.v20120810#"
ITEM = {"PK": {"S": "a"}, "n": {"N": "1"}}


def told(code: str, status: int = 400, /, **members: Any) -> OperationError:
    error = refusal(status, json.dumps({"__type": MODEL + code, **members}).encode())
    assert error is not None
    return error


def _kinds(root: type[OperationError]) -> list[type[OperationError]]:
    return [root, *(kind for one in root.__subclasses__() for kind in _kinds(one))]


# What a store tells apart (AlreadyExists, NotFound, …) has no name of its own at DynamoDB.
@pytest.mark.parametrize(
    "kind",
    [
        kind
        for kind in _kinds(OperationError)
        if kind.__module__ == errors.__name__
        and "code" in vars(kind)
        and kind is not OperationError
    ],
)
def test_every_exception_with_a_name_at_dynamodb_comes_back(kind: type[OperationError]) -> None:
    assert KINDS[kind.code] is kind
    made = kind([]) if issubclass(kind, TransactionCanceled) else kind("why")
    status, body = write_error(made)
    error = refusal(status, body)
    assert error is not None
    assert type(error) is kind
    assert error.message == made.message


def test_a_condition_that_failed_carries_its_item() -> None:
    error = told("ConditionalCheckFailedException", message="no", Item=ITEM)
    assert isinstance(error, ConditionFailed)
    assert error.item == ITEM


def test_a_transaction_carries_its_reasons() -> None:
    listed = [{"Code": "None"}, {"Code": "ConditionalCheckFailed", "Message": "m", "Item": ITEM}]
    error = told("TransactionCanceledException", CancellationReasons=listed)
    assert isinstance(error, TransactionCanceled)
    expected = CancellationReason("ConditionalCheckFailed", "m", ITEM)
    assert error.reasons == (CancellationReason(), expected)


def test_reasons_may_stand_in_the_text_alone() -> None:
    text = "Transaction cancelled, … for specific reasons [None, TransactionConflict]"
    error = told("TransactionCanceledException", Message=text)
    assert isinstance(error, TransactionCanceled)
    assert [reason.code for reason in error.reasons] == ["None", "TransactionConflict"]


@pytest.mark.parametrize("name", ["ThrottlingReasons", "throttlingReasons"])
def test_a_throttle_carries_its_reasons(name: str) -> None:
    listed = [{"reason": "TableReadKeyRangeThroughputExceeded", "resource": "arn:aws:x"}]
    members: dict[str, Any] = {name: listed}
    error = told("ThrottlingException", **members)
    assert isinstance(error, Throttled)
    expected = ThrottlingReason("TableReadKeyRangeThroughputExceeded", "arn:aws:x")
    assert error.throttling_reasons == (expected,)


def test_a_table_that_is_not_there_is_told_from_other_resources() -> None:
    error = told("ResourceNotFoundException", message="Requested resource not found: Table: t …")
    assert isinstance(error, TableNotFound)


def test_an_unknown_refusal_keeps_its_name_and_text() -> None:
    error = told("NewKindOfException", message="what is new")
    assert type(error) is OperationError
    assert (error.code, error.message) == ("NewKindOfException", "what is new")


def test_an_unknown_failure_of_the_server_is_one() -> None:
    error = told("NewFailure", 500, message="oh")
    assert isinstance(error, InternalError)
    assert (error.code, error.message) == ("NewFailure", "oh")


def test_a_name_may_stand_in_a_header() -> None:
    error = refusal(400, b'{"message":"m"}', "ValidationException:http://internal/coral/")
    assert isinstance(error, errors.ValidationError)


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b"{}", b'{"__type":1}', b"\xff"])
def test_what_is_no_refusal_is_none(body: bytes) -> None:
    assert refusal(400, body) is None


def test_the_id_of_the_request_is_kept(ask: Asking) -> None:
    body = json.dumps({"__type": MODEL + "ResourceNotFoundException", "message": "no"}).encode()
    with scripted([response(body, 400)]) as server:
        (error,) = ask(server.address, GET)
        assert error.request_id == "R1"


# A load balancer that gives up says so in HTML; DynamoDB may have done the work.
def test_what_stands_before_dynamodb_may_fail(ask: Asking) -> None:
    page = b"HTTP/1.1 504 Gateway Timeout\r\nContent-Length: 6\r\n\r\n<html>"
    with scripted([page], [page], [response(b"{}")]) as server:
        (error,) = ask(server.address, UPDATE)
        assert isinstance(error, InternalError)
        (answer,) = ask(server.address, GET, once=False)
        assert not isinstance(answer, Exception)
