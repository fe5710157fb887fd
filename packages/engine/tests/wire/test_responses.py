"""Write responses: stored items are copied as they are, errors have AWS's types and members."""

from __future__ import annotations

from gzip import compress
from zlib import crc32, decompress

import pytest
from msgspec import Raw, json

from dynamodb_engine.errors import (
    CancellationReason,
    ConditionFailed,
    EngineError,
    InternalError,
    OperationError,
    ProvisionedThroughputExceeded,
    ResourceNotFound,
    SerializationError,
    ServiceUnavailable,
    Throttled,
    ThrottlingReason,
    TransactionCanceled,
    ValidationError,
)
from dynamodb_engine.operations import EmptyOutput, GetItemOutput, ListTables, PageOutput
from dynamodb_engine.wire import (
    BodyTooLarge,
    HttpRequest,
    HttpResponse,
    compress_response,
    error_response,
    health_response,
    read_operation,
    response_head,
    result_response,
    write_error,
    write_result,
)


def test_item_is_copied_into_the_response_as_stored() -> None:
    stored = b'{"pk":{"S":"ada"}}'
    assert write_result(GetItemOutput(Raw(stored))) == b'{"Item":' + stored + b"}"
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
def test_error_has_aws_type_and_members(error: OperationError, body: dict[str, object]) -> None:
    status, raw = write_error(error)
    assert status == 400
    assert json.decode(raw) == body


# Newer throttling errors say which limit was exceeded, and where.
def test_throttling_error_has_its_reasons() -> None:
    reason = ThrottlingReason("TableWriteKeyRangeThroughputExceeded", "arn:aws:dynamodb:…")
    for error, member in (
        (ProvisionedThroughputExceeded("slow down", [reason]), "ThrottlingReasons"),
        (Throttled("slow down", [reason]), "throttlingReasons"),
    ):
        status, raw = write_error(error)
        assert status == 400
        assert json.decode(raw)[member] == [{"reason": reason.reason, "resource": reason.resource}]


@pytest.mark.parametrize(("error", "status"), [(InternalError(), 500), (ServiceUnavailable(), 503)])
def test_server_errors_have_status_5xx(error: OperationError, status: int) -> None:
    assert write_error(error)[0] == status


def test_other_errors_are_internal_errors() -> None:
    status, raw = write_error(EngineError("broken"))
    assert status == 500
    assert json.decode(raw)["__type"].endswith("#InternalServerError")


def post(body: bytes = b"{}", **headers: str) -> HttpRequest:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return HttpRequest("POST", "/", {"content-type": "application/x-amz-json-1.0", **sent}, body)


def test_response_has_checksum_and_request_id() -> None:
    response = result_response(GetItemOutput(), post(), "ID")
    assert response.headers["x-amz-crc32"] == str(crc32(b"{}"))
    assert response.headers["x-amzn-requestid"] == "ID"


LARGE = GetItemOutput(Raw(json.encode({"pk": {"S": "x" * 5000}})))


# The checksum covers the body as sent, so that it can be checked before decompressing.
@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("gzip, deflate", "gzip"),
        ("deflate;q=1, gzip;q=0.5", "deflate"),
        ("br, identity, deflate, gzip", "deflate"),
        ("dog, GZIP ,, cat", "gzip"),
        ("*", "gzip"),
        ("*, deflate", "deflate"),
        ("*, gzip;q=0.5", "deflate"),
        ("*;q=0.5, identity", "gzip"),
        ("gzip;q=31, deflate;q=51", "gzip"),
        ("deflate;q=0.5, gzip;q=1;q=0.2", "gzip"),
        ("deflate;q=0.5, gzip;q=0.x", "gzip"),
        ("deflate;q=-0.5, gzip; q = 0.2", "gzip"),
        ("gzip;q=0, gzip;q=1, gzip;q=0", "gzip"),
        ("br, Deflate", "deflate"),
        ("gzip;q=0, deflate", "deflate"),
    ],
)
def test_large_response_is_compressed_if_accepted(accepted: str, encoding: str) -> None:
    plain = result_response(LARGE, post(), "ID")
    compressed = compress_response(plain, post(accept_encoding=accepted))
    assert compressed.headers["content-encoding"] == encoding
    assert decompress(compressed.body, {"gzip": 31, "deflate": 15}[encoding]) == plain.body
    assert compressed.headers["x-amz-crc32"] == str(crc32(compressed.body))


@pytest.mark.parametrize("accepted", ["", "identity", "br", "gzip; q=0.0", "gzippy"])
def test_response_is_not_compressed_unless_accepted(accepted: str) -> None:
    plain = result_response(LARGE, post(), "ID")
    assert compress_response(plain, post(accept_encoding=accepted)) is plain


def test_tagging_responds_with_an_empty_body() -> None:
    request = post(x_amz_target="DynamoDB_20120810.TagResource")
    assert result_response(EmptyOutput(), request, "ID").body == b""


@pytest.mark.parametrize("media_type", ["application/json", "application/x-amz-json-1.0"])
def test_response_has_the_content_type_of_the_request(media_type: str) -> None:
    response = result_response(
        GetItemOutput(), post(content_type=f"{media_type}; charset=utf-8"), "ID"
    )
    assert response.headers["content-type"] == media_type


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_get_is_a_health_check(method: str) -> None:
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
    ids=["put", "options", "text", "no content type"],
)
def test_stray_request_gets_404(stray: HttpRequest) -> None:
    response = health_response(stray, "us-east-1", "ID")
    assert response is not None
    assert (response.status, response.body) == (404, b"<UnknownOperationException/>\n")
    assert response.headers["x-amz-crc32"] == "3552371480"
    assert "access-control-allow-origin" not in response.headers


def test_json_or_empty_post_is_an_operation() -> None:
    assert health_response(post(), "us-east-1", "ID") is None
    assert health_response(HttpRequest("POST", "/", {}, b""), "us-east-1", "ID") is None


TARGET = "DynamoDB_20120810.ListTables"


# A small compressed body may decompress to gigabytes.
def test_decompression_bomb_is_rejected() -> None:
    bomb = post(compress(b" " * 100_000), content_encoding="gzip", x_amz_target=TARGET)
    with pytest.raises(BodyTooLarge) as error:
        read_operation(bomb, 50_000)
    assert error_response(error.value, bomb, "ID").status == 413


JSON_BODY = b'{"Limit":3}'


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", compress(JSON_BODY)),
        ("GZIP", compress(JSON_BODY[:4]) + compress(JSON_BODY[4:])),
        ("gzip", compress(JSON_BODY) + b"ignored"),
        ("identity", JSON_BODY),
        ("amz-1.0", JSON_BODY),
        ("", JSON_BODY),
    ],
    ids=["gzip", "two members", "junk at the end", "identity", "console", "empty"],
)
def test_compressed_body_is_decompressed(encoding: str, body: bytes) -> None:
    small = post(body, content_encoding=encoding, x_amz_target=TARGET)
    assert read_operation(small, 50_000) == ListTables(limit=3)


# AWS answers with an InternalServerError and the status 500.
@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", b""),
        ("gzip", JSON_BODY),
        ("gzip", compress(b"{}" + b" " * 99)[:-4]),
        ("gzip", compress(JSON_BODY[:4]) + compress(JSON_BODY[4:])[:-1]),
        ("gzip", compress(b"") * 17),
        ("deflate", JSON_BODY),
        ("br", JSON_BODY),
    ],
    ids=["empty", "plain", "truncated", "second truncated", "many members", "deflate", "unknown"],
)
def test_body_that_cannot_be_decompressed_is_rejected(encoding: str, body: bytes) -> None:
    request = post(body, content_encoding=encoding, x_amz_target=TARGET)
    with pytest.raises(InternalError) as error:
        read_operation(request, 50_000)
    assert error_response(error.value, request, "ID").status == 500


def test_unknown_status_has_a_status_line() -> None:
    assert response_head(HttpResponse(299), keep_alive=False).startswith(b"HTTP/1.1 299 \r\n")
