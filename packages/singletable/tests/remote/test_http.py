"""HTTP responses are parsed from pieces of any size; invalid ones are rejected."""

from __future__ import annotations

import pytest

from singletable.remote.http import MAX_HEAD, InvalidHttp, Response, ResponseParser

WHOLE = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nX-Amz-Crc32: 7\r\n\r\nbody"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nbo\r\n2\r\ndy\r\n0\r\n\r\n"
RESPONSES = {
    "content length": WHOLE,
    "chunked": CHUNKED,
    "after 100 Continue": b"HTTP/1.1 100 Continue\r\n\r\n" + WHOLE,
}


@pytest.mark.parametrize("size", [1, 2, 3, 7, 50, 1000])
@pytest.mark.parametrize("name", RESPONSES)
def test_response_may_arrive_in_pieces(name: str, size: int) -> None:
    parser = ResponseParser()
    for _ in range(3):  # on a reused connection
        parser.reset()
        whole = RESPONSES[name]
        pieces = [whole[at : at + size] for at in range(0, len(whole), size)]
        responses = [parser.feed(piece) for piece in pieces]
        assert responses[:-1] == [None] * (len(pieces) - 1)
        last = responses[-1]
        assert isinstance(last, Response)
        assert (last.status, last.body, last.keep_alive) == (200, b"body", True)


def test_header_names_are_lower_case() -> None:
    parsed = ResponseParser().feed(WHOLE)
    assert parsed is not None
    assert parsed.headers == {b"content-length": b"4", b"x-amz-crc32": b"7"}


@pytest.mark.parametrize(
    "response",
    [
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\nbody",
        b"HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\nbody",
    ],
)
def test_closing_response_is_not_keep_alive(response: bytes) -> None:
    parsed = ResponseParser().feed(response)
    assert parsed is not None
    assert not parsed.keep_alive


def test_response_without_length_ends_with_connection() -> None:
    parser = ResponseParser()
    assert parser.feed(b"HTTP/1.1 200 OK\r\n\r\nbo") is None
    assert parser.feed(b"dy") is None
    parsed = parser.finish()
    assert parsed is not None
    assert (parsed.body, parsed.keep_alive) == (b"body", False)


@pytest.mark.parametrize("part", [b"", b"HTTP/1.1 200", WHOLE[:-1], CHUNKED[:-3]])
def test_truncated_response_is_none(part: bytes) -> None:
    parser = ResponseParser()
    if part:
        assert parser.feed(part) is None
    assert parser.finish() is None


@pytest.mark.parametrize(
    "junk",
    [
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"\x15\x03\x01\x00\x02\x02\x46",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nbody",
    ],
)
def test_invalid_http_is_rejected(junk: bytes) -> None:
    with pytest.raises(InvalidHttp):
        ResponseParser().feed(junk)


def test_endless_head_is_rejected() -> None:
    parser = ResponseParser()
    parser.feed(b"HTTP/1.1 200 OK\r\n")
    lines = (b"X: " + b"y" * 1000 + b"\r\n" for _ in range(MAX_HEAD))
    with pytest.raises(InvalidHttp, match="too large"):
        all(parser.feed(line) is None for line in lines)


# The next request must not get the extra bytes.
@pytest.mark.parametrize("extra", [WHOLE, b"junk"])
def test_extra_bytes_end_the_connection(extra: bytes) -> None:
    parsed = ResponseParser().feed(WHOLE + extra)
    assert parsed is not None
    assert (parsed.body, parsed.keep_alive) == (b"body", False)
