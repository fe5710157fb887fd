"""The DynamoDB JSON protocol without a socket: bytes to operations, results to bytes."""

from singletable.wire.request import UnknownOperation, read_request, write_request
from singletable.wire.response import write_error, write_result
from singletable.wire.targets import TARGETS

__all__ = [
    "TARGETS",
    "UnknownOperation",
    "read_request",
    "write_error",
    "write_request",
    "write_result",
]
