"""A request's target and body become an operation, and an operation a target and a body."""

from __future__ import annotations

from functools import cache
from typing import Any, cast

from msgspec import DecodeError, ValidationError, json

from singletable.errors import OperationError, SerializationError
from singletable.operations import Operation
from singletable.wire.serialization import read_structure
from singletable.wire.targets import TARGET_OF, TARGETS

_encode = json.Encoder().encode
# What the reader raises for a body that is no JSON, that is deeper than it follows, or no UTF-8.
_UNREADABLE = (DecodeError, RecursionError, UnicodeDecodeError)


class UnknownOperation(OperationError):
    """The target header names no operation."""

    code = "UnknownOperationException"


def read_request(target: str, body: bytes) -> Operation[Any]:
    """The operation that a request asks for; SerializationError if it is not of its shape."""
    if target not in TARGETS:
        raise _unknown(body)
    try:
        return cast("Operation[Any]", _decoder(target).decode(body))
    except (DecodeError, ValidationError):
        # Rare, so it may be slow: find what is amiss, or read it as leniently as AWS does.
        return _read_slowly(target, body)
    except (RecursionError, UnicodeDecodeError):
        raise SerializationError("") from None


@cache
def _decoder(target: str) -> json.Decoder[Any]:
    """The decoder of an operation's requests, made when there is the first of them."""
    return json.Decoder(TARGETS[target])


def _read_slowly(target: str, body: bytes) -> Operation[Any]:
    try:
        raw = json.decode(body)
        if not isinstance(raw, dict):
            raise SerializationError("")
        return cast("Operation[Any]", read_structure(TARGETS[target], cast("dict[str, Any]", raw)))
    except _UNREADABLE:
        raise SerializationError("") from None


def _unknown(body: bytes) -> OperationError:
    """What is no JSON is told first, then that no operation has the name."""
    try:
        if body:
            json.decode(body)
    except _UNREADABLE:
        return SerializationError("")
    return UnknownOperation("")


def write_request(operation: Operation[Any]) -> tuple[str, bytes]:
    """The target and the body that ask for an operation."""
    return TARGET_OF[type(operation)], _encode(operation)
