"""The DynamoDB JSON protocol without a socket: read requests, write responses."""

from singletable.wire.http import (
    MAX_HEADER_COUNT,
    MIN_COMPRESSED,
    BodyTooLarge,
    HttpRequest,
    HttpResponse,
    add_header,
    check_target,
    compress_response,
    error_response,
    health_response,
    parse_plain_request,
    read_operation,
    response_head,
    result_response,
)
from singletable.wire.requests import TARGETS, UnknownOperation, read_request, write_request
from singletable.wire.responses import write_error, write_result

__all__ = [
    "MAX_HEADER_COUNT",
    "MIN_COMPRESSED",
    "TARGETS",
    "BodyTooLarge",
    "HttpRequest",
    "HttpResponse",
    "UnknownOperation",
    "add_header",
    "check_target",
    "compress_response",
    "error_response",
    "health_response",
    "parse_plain_request",
    "read_operation",
    "read_request",
    "response_head",
    "result_response",
    "write_error",
    "write_request",
    "write_result",
]
