"""The fast parser of plain requests agrees with the full HTTP parser, or leaves it to it."""

from __future__ import annotations

import httptools
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynamodb_engine.wire import HttpRequest, parse_plain_request

BODY = b'{"TableName":"votes"}'
PLAIN = [b"Host: x", b"Content-Length: 21", b"X-Amz-Target: DynamoDB_20120810.Scan"]


def raw_request(*lines: bytes, body: bytes = BODY, first: bytes = b"POST / HTTP/1.1") -> bytes:
    return b"\r\n".join([first, *lines]) + b"\r\n\r\n" + body


class FullParser:
    """Collects what the full parser reads."""

    def __init__(self, data: bytes) -> None:
        self.headers: list[tuple[str, str]] = []
        self.target = self.body = b""
        self.complete = 0
        self.keep = self.more = False
        self.parser = httptools.HttpRequestParser(self)
        self.parser.feed_data(data)

    def on_url(self, url: bytes) -> None:
        self.target += url

    def on_header(self, name: bytes, value: bytes) -> None:
        self.headers.append((name.decode("latin-1").lower(), value.decode("latin-1")))

    def on_body(self, body: bytes) -> None:
        self.body += body

    def on_message_begin(self) -> None:
        self.more = self.complete > 0

    def on_message_complete(self) -> None:
        self.complete += 1
        self.keep = self.parser.should_keep_alive()


def test_plain_request_is_parsed() -> None:
    request = parse_plain_request(raw_request(*PLAIN), "127.0.0.1", 65536)
    headers = {
        "host": "x",
        "content-length": "21",
        "x-amz-target": "DynamoDB_20120810.Scan",
    }
    assert request == HttpRequest("POST", "/", headers, BODY, "127.0.0.1")


# The full parser decides whether to accept, to reject or to wait for more.
@pytest.mark.parametrize(
    "data",
    [
        raw_request(*PLAIN)[:-1],
        raw_request(*PLAIN) + b"P",
        raw_request(*PLAIN) * 2,
        raw_request(*PLAIN)[:40],
        b"",
        b"\r\n\r\n",
        raw_request(*PLAIN, first=b"GET / HTTP/1.1"),
        raw_request(*PLAIN, first=b"POST / HTTP/1.0"),
        raw_request(*PLAIN, first=b"POST /path HTTP/1.1"),
        raw_request(*PLAIN, b"Connection: close"),
        raw_request(*PLAIN, b"Transfer-Encoding: chunked"),
        raw_request(*PLAIN, b"Expect: 100-continue"),
        raw_request(*PLAIN, b"Upgrade: h2c"),
        raw_request(*PLAIN, b"Content-Length: 21"),
        raw_request(b"Host: x"),
        raw_request(b"Content-Length: 021"),
        raw_request(b"Content-Length: +21"),
        raw_request(*PLAIN, b"X: a\0b"),
        raw_request(*PLAIN, b"X: a\rb"),
        raw_request(*PLAIN, b"X: a\nY: b"),
        raw_request(*PLAIN, b"X: caf\xe9"),
        raw_request(*PLAIN, b"X:  a"),
        raw_request(*PLAIN, b"X: a "),
        raw_request(*PLAIN, b"X: "),
        raw_request(*PLAIN, b"X:a"),
        raw_request(*PLAIN, b"X : a"),
        raw_request(*PLAIN, b" X: a"),
        raw_request(*PLAIN, b"X"),
        raw_request(*PLAIN, b": a"),
        raw_request(*PLAIN, b"X" * 65 + b": a"),
        raw_request(*PLAIN, b"X: " + b"a" * 65536),
    ],
)
def test_doubtful_request_is_left_to_the_full_parser(data: bytes) -> None:
    assert parse_plain_request(data, "", 65536) is None


PIECES = st.sampled_from(
    [
        *PLAIN,
        b"\r\n",
        b"\n",
        b"\r",
        b" ",
        b"\t",
        b":",
        b": ",
        b"0",
        b"Content-Length: 0",
        b"Connection: keep-alive",
        b"Connection: close, keep-alive",
        b"Trailer: x",
        b"Upgrade: x",
        b"\xe9",
        b"\x7f",
        b"\x0b",
        b"X-Y: z",
        b"X_Y!: z",
    ]
)


@given(
    st.lists(st.one_of(PIECES, st.binary(max_size=3)), max_size=6),
    st.booleans(),
    st.sampled_from([b"", BODY]),
)
def test_plain_parser_agrees_with_the_full_parser(
    pieces: list[bytes], on_lines: bool, body: bytes
) -> None:
    content_length = b"Content-Length: %d" % len(body)
    lines = [content_length, *pieces] if on_lines else [content_length, b"X: " + b"".join(pieces)]
    data = raw_request(*lines, body=body)
    request = parse_plain_request(data, "", 65536)
    if request is None:
        return
    full = FullParser(data)
    assert (full.complete, full.keep, full.more) == (1, True, False)
    assert (full.target, full.body) == (b"/", request.body)
    assert full.headers == list(request.headers.items())
