"""Responses: items go in as they rest, errors have AWS's names and members."""

from __future__ import annotations

from gzip import compress
from zlib import crc32, decompress

import pytest
from msgspec import Raw, json

from singletable.errors import (
    CancellationReason,
    ConditionFailed,
    OperationError,
    ResourceNotFound,
    SerializationError,
    SingleTableError,
    TransactionCanceled,
    ValidationError,
)
from singletable.operations import Done, ItemGot, ListTables, Page
from singletable.wire import (
    BodyTooLarge,
    HttpRequest,
    error_response,
    not_for_us,
    operation_of,
    result_response,
    write_error,
    write_result,
)


def test_an_item_is_spliced_into_the_answer_as_it_rests() -> None:
    rests = b'{"pk":{"S":"ada"}}'
    assert write_result(ItemGot(Raw(rests))) == b'{"Item":' + rests + b"}"
    assert write_result(ItemGot()) == b"{}"
    assert write_result(Page(0, 0, [])) == b'{"Count":0,"ScannedCount":0,"Items":[]}'


@pytest.mark.parametrize(
    ("error", "body"),
    [
        (
            ValidationError("no"),
            {"__type": "com.amazon.coral.validate#ValidationException", "message": "no"},
        ),
        (
            SerializationError("no"),
            {"__type": "com.amazon.coral.service#SerializationException", "Message": "no"},
        ),
        (SerializationError(""), {"__type": "com.amazon.coral.service#SerializationException"}),
        (
            ResourceNotFound("gone"),
            {
                "__type": "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException",
                "message": "gone",
            },
        ),
        (
            ConditionFailed(item={"pk": {"S": "a"}}),
            {
                "__type": "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",
                "message": "The conditional request failed",
                "Item": {"pk": {"S": "a"}},
            },
        ),
        (
            TransactionCanceled(
                [CancellationReason(), CancellationReason("ConditionalCheckFailed", "failed")]
            ),
            {
                "__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
                "Message": "Transaction cancelled, please refer cancellation reasons for specific "
                "reasons [None, ConditionalCheckFailed]",
                "CancellationReasons": [
                    {"Code": "None"},
                    {"Code": "ConditionalCheckFailed", "Message": "failed"},
                ],
            },
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_error_has_the_name_and_the_members_of_awss(
    error: OperationError, body: dict[str, object]
) -> None:
    status, raw = write_error(error)
    assert status == 400
    assert json.decode(raw) == body


def test_what_is_no_refusal_is_an_internal_error() -> None:
    status, raw = write_error(SingleTableError("broken"))
    assert status == 500
    assert json.decode(raw)["__type"].endswith("#InternalServerError")


def post(body: bytes = b"{}", **headers: str) -> HttpRequest:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return HttpRequest("POST", "/", {"content-type": "application/x-amz-json-1.0", **named}, body)


def test_a_response_carries_its_checksum_and_id() -> None:
    response = result_response(ItemGot(), post(), "ID")
    assert response.headers["x-amz-crc32"] == str(crc32(b"{}"))
    assert response.headers["x-amzn-requestid"] == "ID"


# The checksum is of what goes over the wire, so that it can be checked before unpacking.
def test_a_large_response_is_packed_for_those_who_can_unpack_it() -> None:
    item = Raw(json.encode({"pk": {"S": "x" * 5000}}))
    plain = result_response(ItemGot(item), post(), "ID")
    packed = result_response(ItemGot(item), post(accept_encoding="gzip, deflate"), "ID")
    assert packed.headers["content-encoding"] == "gzip"
    assert decompress(packed.body, 31) == plain.body
    assert packed.headers["x-amz-crc32"] == str(crc32(packed.body))


# Tagging is answered with an empty body.
def test_tagging_answers_with_nothing() -> None:
    request = post(x_amz_target="DynamoDB_20120810.TagResource")
    assert result_response(Done(), request, "ID").body == b""


def test_a_get_is_a_health_check_and_strays_are_sent_away() -> None:
    health = not_for_us(HttpRequest("GET", "/", {}, b""), "eu-west-2")
    assert health is not None
    assert health.body == b"healthy: dynamodb.eu-west-2.amazonaws.com "
    for stray in (
        HttpRequest("PUT", "/", {}, b""),
        HttpRequest("POST", "/", {"content-type": "text/plain"}, b"{}"),
    ):
        answer = not_for_us(stray, "eu-west-2")
        assert answer is not None
        assert answer.status == 404
    assert not_for_us(post(), "eu-west-2") is None


TARGET = "DynamoDB_20120810.ListTables"


# A small packed body may unpack to gigabytes.
def test_a_body_that_unpacks_to_too_much_is_refused() -> None:
    bomb = post(compress(b" " * 100_000), content_encoding="gzip", x_amz_target=TARGET)
    with pytest.raises(BodyTooLarge) as refused:
        operation_of(bomb, 50_000)
    assert error_response(refused.value, bomb, "ID").status == 413
    small = post(compress(b"{}"), content_encoding="gzip", x_amz_target=TARGET)
    assert operation_of(small, 50_000) == ListTables()
