"""What an answer says: the result of an operation, or why there is none."""

from __future__ import annotations

import zlib
from typing import TypeVar, cast
from zlib import crc32

from msgspec import DecodeError, ValidationError

from singletable.errors import ConnectionFailed, InternalError, SingleTableError, UnexpectedResponse
from singletable.operations import Operation
from singletable.remote.place import Place
from singletable.remote.refusals import refusal
from singletable.remote.request import not_at
from singletable.remote.response import Answer
from singletable.remote.results import read_result
from singletable.wire import UnknownOperation

R = TypeVar("R")

_SHOWN = 200
_WINDOWS = {b"gzip": 31, b"deflate": 15}


def result_of(place: Place, operation: Operation[R], answer: Answer) -> R:
    """The result, or the refusal raised as an exception."""
    body = _body(place, answer)
    if answer.status != 200:
        raise _refused(place, operation, answer, body)
    try:
        return cast(R, read_result(type(operation), body))
    except (DecodeError, ValidationError, UnicodeDecodeError) as error:
        raise _strange(place, operation, answer, body, str(error)) from None


def _body(place: Place, answer: Answer) -> bytes:
    """The body, if it is what was sent."""
    body = answer.body
    checksum = answer.headers.get(b"x-amz-crc32")
    if checksum is not None and checksum != str(crc32(body)).encode():
        raise ConnectionFailed(
            f"The answer of {place} was damaged on its way: its checksum is {crc32(body)}, and "
            f"{checksum.decode('latin-1')} was sent with it.",
            may_have_arrived=True,
        )
    packing = answer.headers.get(b"content-encoding", b"identity").lower()
    if packing not in _WINDOWS:
        return body
    try:
        return zlib.decompress(body, _WINDOWS[packing])
    except zlib.error as error:
        raise ConnectionFailed(
            f"The answer of {place} cannot be unpacked: {error}.", may_have_arrived=True
        ) from None


def _refused(
    place: Place, operation: Operation[object], answer: Answer, body: bytes
) -> SingleTableError:
    named = answer.headers.get(b"x-amzn-errortype", b"").decode("latin-1")
    error = refusal(answer.status, body, named)
    if error is None and answer.status >= 500:
        # What stands before DynamoDB could not reach it, or did not wait for it.
        error = InternalError(f"{_what(place, operation, answer, body)}")
    if error is None:
        return _strange(place, operation, answer, body)
    if isinstance(error, UnknownOperation):
        error = not_at(place, operation)
    identity = answer.headers.get(b"x-amzn-requestid")
    error.request_id = None if identity is None else identity.decode("latin-1")
    return error


def _strange(
    place: Place, operation: Operation[object], answer: Answer, body: bytes, why: str = ""
) -> UnexpectedResponse:
    return UnexpectedResponse(
        f"{_what(place, operation, answer, body)}{why and f' ({why})'}. That is not DynamoDB. Is "
        "it the right host and port, and does a proxy or a sign-in page stand before it?"
    )


def _what(place: Place, operation: Operation[object], answer: Answer, body: bytes) -> str:
    kind = answer.headers.get(b"content-type", b"no content type").decode("latin-1")
    shown = body[:_SHOWN].decode("utf-8", "replace").strip()
    return (
        f"{type(operation).__name__} at {place} was answered with status {answer.status}, {kind}: "
        f"{shown!r}{'…' if len(body) > _SHOWN else ''}"
    )
