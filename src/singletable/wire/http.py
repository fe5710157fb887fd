"""The HTTP around the protocol, without a socket: what a request must be and a response holds."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from zlib import crc32

from singletable.errors import OperationError, SingleTableError
from singletable.operations import Operation
from singletable.wire.request import UnknownOperation, read_request
from singletable.wire.response import write_error, write_result

JSON_TYPES = ("application/x-amz-json-1.0", "application/json")
# Smaller bodies are not worth the time that packing them takes.
WORTH_PACKING = 1024
NO_SUCH_OPERATION = b"<UnknownOperationException/>\n"


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request that has arrived in full; header names are in lower case."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """A response, but for the headers that concern the connection."""

    status: int
    headers: dict[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""


class BodyTooLarge(OperationError):
    """The body, or what it unpacks to, is larger than a request may be."""

    code = "RequestEntityTooLargeException"


def not_for_us(request: HttpRequest, region: str) -> HttpResponse | None:
    """The answer to a request that asks for no operation: a health check, or a stray one."""
    if request.method in ("GET", "HEAD"):
        healthy = f"healthy: dynamodb.{region}.amazonaws.com ".encode()
        return HttpResponse(200, {"content-type": "text/plain"}, healthy)
    if request.method != "POST":
        return HttpResponse(404, {}, NO_SUCH_OPERATION)
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in JSON_TYPES and request.body:
        return HttpResponse(404, {}, NO_SUCH_OPERATION)
    return None


def operation_of(request: HttpRequest, most: int) -> Operation[object]:
    """The operation that the request asks for; an OperationError if it cannot be read."""
    target = request.headers.get("x-amz-target", "")
    if not target:
        raise UnknownOperation("")
    return read_request(target, unpacked(request, most))


def unpacked(request: HttpRequest, most: int) -> bytes:
    """The body as it was before it was packed for the way."""
    packing = request.headers.get("content-encoding", "identity").strip().lower()
    if packing in ("", "identity"):
        return request.body
    window = {"gzip": 31, "x-gzip": 31, "deflate": 15}.get(packing)
    if window is None:
        return request.body
    try:
        reader = zlib.decompressobj(window)
        body = reader.decompress(request.body, most + 1)
    except zlib.error:
        return request.body
    if len(body) > most:
        raise BodyTooLarge(f"The request unpacks to more than {most} bytes")
    return body


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


def _response(status: int, body: bytes, request: HttpRequest, request_id: str) -> HttpResponse:
    headers = {
        "content-type": "application/x-amz-json-1.0",
        "x-amzn-requestid": request_id,
        "x-amz-crc32": str(crc32(body)),
    }
    if len(body) >= WORTH_PACKING and "gzip" in request.headers.get("accept-encoding", ""):
        body = gzip.compress(body, compresslevel=1)
        headers["content-encoding"] = "gzip"
        # The checksum is that of what goes over the wire.
        headers["x-amz-crc32"] = str(crc32(body))
    return HttpResponse(status, headers, body)
