"""Responses: items go in as they rest, errors have AWS's names and members."""

from __future__ import annotations

from collections.abc import Callable
from gzip import compress
from zlib import compress as zlib_compress
from zlib import compressobj, crc32, decompress

import pytest
from msgspec import Raw, json

from singletable.errors import (
    CancellationReason,
    ConditionFailed,
    InternalError,
    OperationError,
    ProvisionedThroughputExceeded,
    ResourceNotFound,
    SerializationError,
    ServiceUnavailable,
    SingleTableError,
    Throttled,
    ThrottlingReason,
    TransactionCanceled,
    ValidationError,
)
from singletable.operations import EmptyOutput, GetItemOutput, ListTables, PageOutput
from singletable.wire import (
    BodyTooLarge,
    HttpRequest,
    error_response,
    health_response,
    read_operation,
    result_response,
    write_error,
    write_result,
)


def test_an_item_is_spliced_into_the_answer_as_it_rests() -> None:
    rests = b'{"pk":{"S":"ada"}}'
    assert write_result(GetItemOutput(Raw(rests))) == b'{"Item":' + rests + b"}"
    assert write_result(GetItemOutput()) == b"{}"
    assert write_result(PageOutput(0, 0, [])) == b'{"Count":0,"ScannedCount":0,"Items":[]}'


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


# Newer errors of throttling say what was too much, and where.
def test_throttling_tells_its_reasons() -> None:
    reason = ThrottlingReason("TableWriteKeyRangeThroughputExceeded", "arn:aws:dynamodb:…")
    for error, member in (
        (ProvisionedThroughputExceeded("slow down", [reason]), "ThrottlingReasons"),
        (Throttled("slow down", [reason]), "throttlingReasons"),
    ):
        status, raw = write_error(error)
        assert status == 400
        assert json.decode(raw)[member] == [{"reason": reason.reason, "resource": reason.resource}]


@pytest.mark.parametrize(("error", "status"), [(InternalError(), 500), (ServiceUnavailable(), 503)])
def test_what_broke_at_dynamodb_is_no_fault_of_the_client(
    error: OperationError, status: int
) -> None:
    assert write_error(error)[0] == status


def test_what_is_no_refusal_is_an_internal_error() -> None:
    status, raw = write_error(SingleTableError("broken"))
    assert status == 500
    assert json.decode(raw)["__type"].endswith("#InternalServerError")


def post(body: bytes = b"{}", **headers: str) -> HttpRequest:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return HttpRequest("POST", "/", {"content-type": "application/x-amz-json-1.0", **named}, body)


def test_a_response_carries_its_checksum_and_id() -> None:
    response = result_response(GetItemOutput(), post(), "ID")
    assert response.headers["x-amz-crc32"] == str(crc32(b"{}"))
    assert response.headers["x-amzn-requestid"] == "ID"


LARGE = GetItemOutput(Raw(json.encode({"pk": {"S": "x" * 5000}})))


# The checksum is of what goes over the wire, so that it can be checked before unpacking.
@pytest.mark.parametrize(
    ("accepted", "packing"),
    [
        ("gzip, deflate", "gzip"),
        ("deflate;q=1, gzip;q=0.5", "gzip"),
        ("br, Deflate", "deflate"),
        ("gzip;q=0, deflate", "deflate"),
    ],
)
def test_a_large_response_is_packed_for_those_who_can_unpack_it(
    accepted: str, packing: str
) -> None:
    plain = result_response(LARGE, post(), "ID")
    packed = result_response(LARGE, post(accept_encoding=accepted), "ID")
    assert packed.headers["content-encoding"] == packing
    assert decompress(packed.body, {"gzip": 31, "deflate": 15}[packing]) == plain.body
    assert packed.headers["x-amz-crc32"] == str(crc32(packed.body))


@pytest.mark.parametrize("accepted", ["", "identity", "br", "gzip; q=0.0", "gzippy"])
def test_who_cannot_unpack_gets_it_plain(accepted: str) -> None:
    response = result_response(LARGE, post(accept_encoding=accepted), "ID")
    assert "content-encoding" not in response.headers
    assert response.body == write_result(LARGE)


# Tagging is answered with an empty body.
def test_tagging_answers_with_nothing() -> None:
    request = post(x_amz_target="DynamoDB_20120810.TagResource")
    assert result_response(EmptyOutput(), request, "ID").body == b""


# A client that asks as application/json is answered as that.
@pytest.mark.parametrize("kind", ["application/json", "application/x-amz-json-1.0"])
def test_an_answer_is_of_the_kind_of_the_question(kind: str) -> None:
    response = result_response(GetItemOutput(), post(content_type=f"{kind}; charset=utf-8"), "ID")
    assert response.headers["content-type"] == kind


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_get_is_a_health_check(method: str) -> None:
    health = health_response(HttpRequest(method, "/", {}, b""), "us-east-1", "ID")
    assert health is not None
    assert (health.status, health.body) == (200, b"healthy: dynamodb.us-east-1.amazonaws.com ")
    assert health.headers["x-amz-crc32"] == "3128867991"
    assert health.headers["x-amzn-requestid"] == "ID"


@pytest.mark.parametrize(
    "stray",
    [
        HttpRequest("PUT", "/", {}, b""),
        HttpRequest("OPTIONS", "/", {"origin": "http://example.com"}, b""),
        HttpRequest("POST", "/", {"content-type": "text/plain"}, b"{}"),
        HttpRequest("POST", "/", {}, b"{}"),
    ],
    ids=["put", "options", "text", "of no kind"],
)
def test_strays_are_sent_away(stray: HttpRequest) -> None:
    answer = health_response(stray, "us-east-1", "ID")
    assert answer is not None
    assert (answer.status, answer.body) == (404, b"<UnknownOperationException/>\n")
    assert answer.headers["x-amz-crc32"] == "3552371480"
    assert "access-control-allow-origin" not in answer.headers


def test_a_post_is_for_us_if_it_is_json_or_empty() -> None:
    assert health_response(post(), "us-east-1", "ID") is None
    assert health_response(HttpRequest("POST", "/", {}, b""), "us-east-1", "ID") is None


TARGET = "DynamoDB_20120810.ListTables"


# A small packed body may unpack to gigabytes.
def test_a_body_that_unpacks_to_too_much_is_refused() -> None:
    bomb = post(compress(b" " * 100_000), content_encoding="gzip", x_amz_target=TARGET)
    with pytest.raises(BodyTooLarge) as refused:
        read_operation(bomb, 50_000)
    assert error_response(refused.value, bomb, "ID").status == 413


def _raw_deflate(body: bytes) -> bytes:
    packer = compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


@pytest.mark.parametrize(
    ("packing", "pack"),
    [
        ("gzip", compress),
        ("X-GZIP", compress),
        ("deflate", zlib_compress),
        ("deflate", _raw_deflate),
        ("identity", bytes),
        ("br", bytes),
    ],
    ids=["gzip", "x-gzip", "deflate", "raw deflate", "identity", "unknown"],
)
def test_a_packed_body_is_unpacked(packing: str, pack: Callable[[bytes], bytes]) -> None:
    small = post(pack(b'{"Limit":3}'), content_encoding=packing, x_amz_target=TARGET)
    assert read_operation(small, 50_000) == ListTables(limit=3)


# Half a body must not pass for a whole one that happens to end there.
@pytest.mark.parametrize("packing", ["gzip", "deflate"])
def test_a_packed_body_that_is_cut_off_is_refused(packing: str) -> None:
    packed = (compress if packing == "gzip" else zlib_compress)(b"{}" + b" " * 99)
    cut = post(packed[:-4], content_encoding=packing, x_amz_target=TARGET)
    with pytest.raises(SerializationError):
        read_operation(cut, 50_000)
