"""Strategies for bytes on a socket: HTTP requests in pieces, and anything else."""

from __future__ import annotations

import json
from dataclasses import dataclass

from hypothesis import strategies as st

from tests.fuzz import strategies
from tools.testing.fuzz.mutations import pick
from tools.testing.fuzz.valid_requests import REQUESTS

HEALTH = [
    b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    b"HEAD / HTTP/1.1\r\n\r\n",
    b"OPTIONS * HTTP/1.1\r\n\r\n",
]
# Not valid HTTP.
NONSENSE = [
    b"\x00\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"nonsense\r\n\r\n",
    b"POST / HTTP/9.9\r\n\r\n",
    b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    b"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    b"POST / HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n",
    b"POST / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
    b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFFF\r\n",
    b"POST / HTTP/1.1\r\nBad Header: x\r\n\r\n",
    b"POST / HTTP/1.1\r\n: x\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"CONNECT x:1 HTTP/1.1\r\n\r\n",
    b"GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    b"POST / HTTP/1.1\r\nX: " + b"y" * 20_000 + b"\r\n\r\n",
    b"POST / HTTP/1.1\r\n" + b"X: y\r\n" * 3000 + b"\r\n",
    b"POST /" + b"z" * 20_000 + b" HTTP/1.1\r\n\r\n",
    b"POST / HTTP/1.1\r\nContent-Length: 70000\r\n\r\n" + b"x" * 70_000,
]


@dataclass(frozen=True, slots=True)
class Stream:
    """Bytes in the pieces in which they are sent, and how the client disconnects."""

    pieces: list[bytes]
    requests: int  # complete requests at the start, which must be answered
    abrupt: bool
    delay: int  # how many turns of the event loop the server waits before it responds


def _post(draw: st.DrawFn, target: str, body: bytes) -> bytes:
    head = [
        b"POST / HTTP/1.1",
        b"x-amz-target: " + target.encode(),
        b"content-type: application/x-amz-json-1.0",
    ]
    if draw(st.integers(0, 3)) == 0:
        head.append(b"Expect: 100-continue")
    if draw(st.integers(0, 2)):
        head.append(b"Content-Length: %d" % len(body))
    else:
        head.append(b"Transfer-Encoding: chunked")
        at = draw(st.integers(0, len(body)))
        chunks = [chunk for chunk in (body[:at], body[at:]) if chunk]
        body = b"".join(b"%x;a=b\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks)
        body += b"0\r\nTrailer: x\r\n\r\n" if draw(st.booleans()) else b"0\r\n\r\n"
    return b"\r\n".join([*head, b"", body])


def _complete_request(draw: st.DrawFn) -> bytes:
    """Draw a complete HTTP request."""
    match draw(st.integers(0, 4)):
        case 0:
            return pick(draw, HEALTH)
        case 1:
            target, body = draw(strategies.malformed())
            return _post(draw, target, body[:40_000])
        case _:
            request = pick(draw, REQUESTS)
            return _post(draw, request.target, json.dumps(request.body).encode())


def _pieces(draw: st.DrawFn, sent: bytes) -> list[bytes]:
    cuts = sorted(draw(st.lists(st.integers(0, len(sent)), max_size=6)))
    return [sent[a:b] for a, b in zip([0, *cuts], [*cuts, len(sent)], strict=True) if a < b]


@st.composite
def valid_streams(draw: st.DrawFn) -> Stream:
    """Draw complete requests, perhaps followed by invalid bytes or an incomplete request."""
    requests = [_complete_request(draw) for _ in range(draw(st.integers(0, 8)))]
    match draw(st.integers(0, 3)):
        case 0:
            tail = pick(draw, NONSENSE)
        case 1:
            request = _complete_request(draw)
            tail = request[: draw(st.integers(0, len(request) - 1))]
        case _:
            tail = b""
    pieces = _pieces(draw, b"".join([*requests, tail]))
    return Stream(pieces, len(requests), abrupt=False, delay=draw(st.integers(0, 3)))


@st.composite
def broken_streams(draw: st.DrawFn) -> Stream:
    """Draw any bytes."""
    parts: list[bytes] = []
    for _ in range(draw(st.integers(1, 4))):
        match draw(st.integers(0, 3)):
            case 0:
                parts.append(draw(st.binary(max_size=100)))
            case 1:
                parts.append(pick(draw, NONSENSE))
            case 2:
                parts.append(draw(strategies.mangled(_complete_request(draw))))
            case _:
                parts.append(_complete_request(draw))
    pieces = _pieces(draw, b"".join(parts))
    return Stream(pieces, 0, abrupt=draw(st.booleans()), delay=draw(st.integers(0, 3)))
