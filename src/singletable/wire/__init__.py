"""The DynamoDB JSON protocol without a socket: bytes to operations, results to bytes."""

from singletable.wire.http import (
    BodyTooLarge,
    HttpRequest,
    HttpResponse,
    check_target,
    error_response,
    not_for_us,
    operation_of,
    result_response,
)
from singletable.wire.plain import plain_request
from singletable.wire.request import UnknownOperation, read_request, write_request
from singletable.wire.response import write_error, write_result
from singletable.wire.targets import TARGETS

__all__ = [
    "TARGETS",
    "BodyTooLarge",
    "HttpRequest",
    "HttpResponse",
    "UnknownOperation",
    "check_target",
    "error_response",
    "not_for_us",
    "operation_of",
    "plain_request",
    "read_request",
    "result_response",
    "write_error",
    "write_request",
    "write_result",
]
