"""The HTTP around the protocol, without a socket: what a request must be and a response holds."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Callable, Mapping
from functools import partial
from zlib import crc32

from msgspec import Struct, field

from singletable.errors import OperationError, SingleTableError
from singletable.operations import Operation
from singletable.wire.request import UnknownOperation, read_request
from singletable.wire.response import write_error, write_result
from singletable.wire.targets import TARGETS

JSON_1_0 = "application/x-amz-json-1.0"
JSON = "application/json"
# Smaller bodies are not worth the time that packing them takes.
WORTH_PACKING = 1024
NO_SUCH_OPERATION = b"<UnknownOperationException/>\n"

_PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": partial(gzip.compress, compresslevel=1),
    "deflate": partial(zlib.compress, level=1),
}
# How zlib is told what it reads; some clients leave out the envelope that "deflate" should have.
_WINDOWS = {"gzip": (31,), "x-gzip": (31,), "deflate": (15, -15)}
_NEVER = re.compile(r"\s*q=0(\.0*)?\s*")


class HttpRequest(Struct, frozen=True):
    """A request that has arrived in full; header names are in lower case.

    `target` is as it was sent: encoded, and with its query. `client` is the address it came from.
    """

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes
    client: str = ""


class HttpResponse(Struct, frozen=True):
    """A response, but for the headers that concern the connection."""

    status: int
    headers: dict[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""


class BodyTooLarge(OperationError):
    """The body, or what it unpacks to, is larger than a request may be."""

    code = "RequestEntityTooLargeException"


def not_for_us(request: HttpRequest, region: str, request_id: str) -> HttpResponse | None:
    """The answer to a request that asks for no operation: a health check, or a stray one."""
    if request.method == "POST" and (_kind(request) in (JSON_1_0, JSON) or not request.body):
        return None
    if request.method in ("GET", "HEAD"):
        status, body = 200, f"healthy: dynamodb.{region}.amazonaws.com ".encode()
        headers = {"content-type": "text/plain"}
    else:
        status, body, headers = 404, NO_SUCH_OPERATION, {}
    headers |= {"x-amzn-requestid": request_id, "x-amz-crc32": str(crc32(body))}
    return HttpResponse(status, headers, body)


def check_target(request: HttpRequest) -> None:
    """Raise UnknownOperation unless the request names an operation."""
    if request.headers.get("x-amz-target", "") not in TARGETS:
        raise UnknownOperation("")


def operation_of(request: HttpRequest, most: int) -> Operation[object]:
    """The operation that the request asks for; an OperationError if it cannot be read."""
    return read_request(request.headers.get("x-amz-target", ""), unpacked(request, most))


def unpacked(request: HttpRequest, most: int) -> bytes:
    """The body as it was before it was packed for the way."""
    if len(request.body) > most:
        raise BodyTooLarge(f"The request is larger than {most} bytes")
    packing = request.headers.get("content-encoding")
    if packing is None:
        return request.body
    for window in _WINDOWS.get(packing.strip().lower(), ()):
        reader = zlib.decompressobj(window)
        try:
            body = reader.decompress(request.body, most + 1)
        except zlib.error:
            continue
        if len(body) > most:
            raise BodyTooLarge(f"The request unpacks to more than {most} bytes")
        if reader.eof:
            return body
    # What cannot be unpacked cannot be read either, and that is what AWS says of it.
    return request.body


def result_response(result: object, request: HttpRequest, request_id: str) -> HttpResponse:
    """The response that carries a result."""
    body = write_result(result)
    # Tagging answers with nothing at all, not with an empty object.
    return _response(
        200, b"" if body == b"{}" and _says_nothing(request) else body, request, request_id
    )


def error_response(error: SingleTableError, request: HttpRequest, request_id: str) -> HttpResponse:
    """The response that carries an error."""
    if isinstance(error, BodyTooLarge):
        return HttpResponse(413, {"x-amzn-requestid": request_id})
    status, body = write_error(error)
    return _response(status, body, request, request_id)


def _says_nothing(request: HttpRequest) -> bool:
    return request.headers.get("x-amz-target", "").endswith(("TagResource", "UntagResource"))


def _kind(request: HttpRequest) -> str:
    kind = request.headers.get("content-type", "")
    return kind if kind == JSON_1_0 else kind.partition(";")[0].strip().lower()


def _response(status: int, body: bytes, request: HttpRequest, request_id: str) -> HttpResponse:
    headers = {
        "content-type": JSON_1_0 if _kind(request) == JSON_1_0 else JSON,
        "x-amzn-requestid": request_id,
    }
    if len(body) >= WORTH_PACKING and (packing := _packing(request)) is not None:
        body = _PACKERS[packing](body)
        headers["content-encoding"] = packing
    # The checksum is that of what goes over the wire.
    headers["x-amz-crc32"] = str(crc32(body))
    return HttpResponse(status, headers, body)


def _packing(request: HttpRequest) -> str | None:
    """How the client would like a body to be packed, if at all."""
    offers = [one.partition(";") for one in request.headers.get("accept-encoding", "").split(",")]
    wanted = {name.strip().lower() for name, _, weight in offers if not _NEVER.fullmatch(weight)}
    return next((packing for packing in _PACKERS if packing in wanted), None)
