"""A plainly written request is read as the full parser reads it, or not at all."""

from __future__ import annotations

import httptools
import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.wire import HttpRequest, parse_plain_request

BODY = b'{"TableName":"votes"}'
PLAIN = [b"Host: x", b"Content-Length: 21", b"X-Amz-Target: DynamoDB_20120810.Scan"]


def written(*lines: bytes, body: bytes = BODY, first: bytes = b"POST / HTTP/1.1") -> bytes:
    return b"\r\n".join([first, *lines]) + b"\r\n\r\n" + body


class Full:
    """What the full parser makes of bytes; None unless they are one request to the end."""

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


def test_a_plain_request_is_read() -> None:
    read = parse_plain_request(written(*PLAIN), "127.0.0.1", 65536)
    headers = {
        "host": "x",
        "content-length": "21",
        "x-amz-target": "DynamoDB_20120810.Scan",
    }
    assert read == HttpRequest("POST", "/", headers, BODY, "127.0.0.1")


# Each of these the full parser reads, refuses or waits for; which of them is its to say.
@pytest.mark.parametrize(
    "data",
    [
        written(*PLAIN)[:-1],
        written(*PLAIN) + b"P",
        written(*PLAIN) * 2,
        written(*PLAIN)[:40],
        b"",
        b"\r\n\r\n",
        written(*PLAIN, first=b"GET / HTTP/1.1"),
        written(*PLAIN, first=b"POST / HTTP/1.0"),
        written(*PLAIN, first=b"POST /path HTTP/1.1"),
        written(*PLAIN, b"Connection: close"),
        written(*PLAIN, b"Transfer-Encoding: chunked"),
        written(*PLAIN, b"Expect: 100-continue"),
        written(*PLAIN, b"Upgrade: h2c"),
        written(*PLAIN, b"Content-Length: 21"),
        written(b"Host: x"),
        written(b"Content-Length: 021"),
        written(b"Content-Length: +21"),
        written(*PLAIN, b"X: a\0b"),
        written(*PLAIN, b"X: a\rb"),
        written(*PLAIN, b"X: a\nY: b"),
        written(*PLAIN, b"X: caf\xe9"),
        written(*PLAIN, b"X:  a"),
        written(*PLAIN, b"X: a "),
        written(*PLAIN, b"X: "),
        written(*PLAIN, b"X:a"),
        written(*PLAIN, b"X : a"),
        written(*PLAIN, b" X: a"),
        written(*PLAIN, b"X"),
        written(*PLAIN, b": a"),
        written(*PLAIN, b"X" * 65 + b": a"),
        written(*PLAIN, b"X: " + b"a" * 65536),
    ],
)
def test_whatever_is_in_doubt_is_left_to_the_full_parser(data: bytes) -> None:
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
def test_what_is_read_is_what_the_full_parser_reads(
    pieces: list[bytes], as_lines: bool, body: bytes
) -> None:
    sized = b"Content-Length: %d" % len(body)
    lines = [sized, *pieces] if as_lines else [sized, b"X: " + b"".join(pieces)]
    data = written(*lines, body=body)
    read = parse_plain_request(data, "", 65536)
    if read is None:
        return
    full = Full(data)
    assert (full.complete, full.keep, full.more) == (1, True, False)
    assert (full.target, full.body) == (b"/", read.body)
    assert full.headers == list(read.headers.items())
