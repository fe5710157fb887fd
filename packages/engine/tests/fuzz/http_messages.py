"""Strategies for HTTP requests, valid or not, and a check of every response."""

from __future__ import annotations

import gzip
import json
import zlib

from hypothesis import strategies as st

from dynamodb_engine.wire import HttpRequest, HttpResponse
from tests.fuzz import strategies
from tools.testing.fuzz.valid_requests import REQUESTS

MAX_BODY = 64 * 1024
METHODS = ["POST", "POST", "POST", "GET", "HEAD", "PUT", "OPTIONS", "CONNECT", "post", "", "\x00"]
PATHS = ["/", "", "*", "//", "/?x=%00", "/../../etc/passwd", "http://x/", "/" + "a" * 5000, "\xff"]
CONTENT_TYPES = [
    *("application/x-amz-json-1.0", "application/json", "APPLICATION/JSON; charset=utf-16"),
    *("text/plain", "", ";", "application/x-amz-json-1.1", "multipart/form-data", "\x00", "é" * 99),
]
ENCODINGS = [
    "gzip",
    "x-gzip",
    "deflate",
    "GZIP ",
    "identity",
    "br",
    "gzip, gzip",
    "",
    "\x00",
    "\xff",
]
HEADERS = {
    "content-type": CONTENT_TYPES,
    "content-encoding": ENCODINGS,
    "accept-encoding": [*ENCODINGS, "gzip;q=0", "*", "deflate;q=x", "gzip;" * 2000, "," * 9000],
    "content-length": ["0", "-1", "9" * 30, "x"],
    "authorization": ["", "AWS4-HMAC-SHA256", "AWS4-HMAC-SHA256 Credential=/,=,,;", "Basic \xff"],
    "x-amz-date": ["", "20230101T000000Z", "99999999T999999Z", "٣"],
    "x-amz-security-token": ["", "x" * 9000],
    "host": ["", "localhost", "\x00"],
    "transfer-encoding": ["chunked", "gzip"],
    # No latency here: the test would really wait.
    "x-singletable-faults": [
        *("throttle=1", "throttle=0.5,indexes=by_voter", "unprocessed=1", "latency=9s"),
        *("unprocessed=1", "conflict=1,tables=votes", "in_progress=1", "keys=%ff,throttle=1"),
        *(
            "",
            "odd",
            "=,=",
            "throttle",
            "latency=0ms",
            "throttle=" + "9" * 5000 + "x",
            "limit=\x00",
        ),
    ],
}
TARGETS = ["", ".", "DynamoDB_20120810.", "DynamoDB_20120810.Nope", "é", "\x00", "x" * 9000]


def bomb(size: int, times: int = 1) -> bytes:
    """Return a decompression bomb, perhaps nested."""
    data = b"{" + b" " * size
    for _ in range(times):
        data = gzip.compress(data)
    return data


BOMBS = [
    bomb(MAX_BODY),
    bomb(MAX_BODY - 1),
    bomb(40 * MAX_BODY),
    bomb(40 * MAX_BODY, 2),
    bomb(0, 50),
]


@st.composite
def bodies(draw: st.DrawFn) -> tuple[str, bytes]:
    """Draw a target, and a body that may fit it."""
    if draw(st.booleans()):
        request = draw(st.sampled_from(REQUESTS))
        return request.target, json.dumps(request.body).encode()
    if draw(st.booleans()):
        return draw(strategies.malformed())
    target = draw(strategies.targets | st.sampled_from(TARGETS))
    return target, draw(strategies.any_bytes | st.sampled_from(BOMBS))


@st.composite
def http_requests(draw: st.DrawFn) -> HttpRequest:
    """Draw a complete HTTP request, valid or not."""
    target, body = draw(bodies())
    headers = {
        name: draw(st.sampled_from(values) | st.text(st.characters(max_codepoint=255), max_size=20))
        for name, values in HEADERS.items()
        if draw(st.integers(0, 3)) == 0
    }
    if draw(st.integers(0, 9)):
        headers["x-amz-target"] = target
    if draw(st.integers(0, 9)):
        headers["content-type"] = draw(st.sampled_from(CONTENT_TYPES[:3]))
    encoding = headers.get("content-encoding", "").strip().lower()
    if draw(st.integers(0, 2)):
        if "gzip" in encoding:
            body = gzip.compress(body, mtime=0)
        elif encoding == "deflate":
            body = zlib.compress(body) if draw(st.booleans()) else zlib.compress(body)[2:-4]
        if draw(st.integers(0, 4)) == 0:
            body = draw(strategies.mangled(body))
    method = draw(st.sampled_from(METHODS))
    return HttpRequest(method, draw(st.sampled_from(PATHS)), headers, body)


def check_response(response: HttpResponse, request: HttpRequest | None = None) -> None:
    """Check that a response is consistent and not a server error, but for a wrong encoding."""
    statuses = {200, 400, 403, 404, 413}
    if request is not None and request.headers.get("content-encoding"):
        statuses.add(500)  # as AWS answers to a body that it cannot decompress
    assert response.status in statuses, response
    for name, value in response.headers.items():
        assert (name + value).isprintable()
        assert name.islower()
    body = response.body
    if "x-amz-crc32" in response.headers:
        assert response.headers["x-amz-crc32"] == str(zlib.crc32(body))
    match response.headers.get("content-encoding"):
        case "gzip":
            body = gzip.decompress(body)
        case "deflate":
            body = zlib.decompress(body)
        case other:
            assert other is None
    if "json" in response.headers.get("content-type", "") and body:
        assert isinstance(json.loads(body), dict)
