"""A connection parses requests within limits, responds in order, and loses none."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.server import Limits, Listener
from singletable.server.connection import _http_date, response_head
from singletable.wire import HttpRequest, HttpResponse


class Echo:
    """Respond with the body of the request, as soon as `free` is set."""

    def __init__(self) -> None:
        self.free = asyncio.Event()
        self.free.set()
        self.requests: list[HttpRequest] = []

    async def handle(self, request: HttpRequest) -> HttpResponse:
        self.requests.append(request)
        await self.free.wait()
        return HttpResponse(200, {"content-type": "text/plain"}, request.body)


def run_script(
    script: Callable[[Echo, Listener, int], Awaitable[None]], limits: Limits | None = None
) -> None:
    """Run a script against a listener on a free port, eager and not."""

    async def run(eager: bool) -> None:
        echo = Echo()
        listener = Listener(echo, limits, eager=eager)
        _, port = await listener.start("127.0.0.1", 0)
        try:
            await asyncio.wait_for(script(echo, listener, port), 20)
        finally:
            echo.free.set()
            await listener.stop(timeout=1)

    asyncio.run(run(eager=False))
    asyncio.run(run(eager=True))


def post(body: bytes, *headers: str) -> bytes:
    head = ["POST / HTTP/1.1", "Host: x", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


async def read_response(reader: asyncio.StreamReader) -> tuple[int, dict[str, str], bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in head[1:] if line)
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return int(head[0].split()[1]), headers, body


async def wait_for_request(echo: Echo) -> None:
    """Wait until a request has reached the handler."""
    while not echo.requests:
        await asyncio.sleep(0)


def test_pipelined_requests_get_responses_in_order() -> None:
    async def script(echo: Echo, listener: Listener, port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"".join(post(str(n).encode()) for n in range(100)))
        for n in range(100):
            status, headers, body = await read_response(reader)
            assert (status, body, headers["connection"]) == (200, str(n).encode(), "keep-alive")
        writer.close()

    run_script(script)


def test_request_may_arrive_byte_by_byte_and_in_chunks() -> None:
    async def script(echo: Echo, listener: Listener, port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for byte in post(b"slow"):
            writer.write(bytes([byte]))
            await writer.drain()
        assert (await read_response(reader))[2] == b"slow"
        head = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        writer.write(head + b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
        assert (await read_response(reader))[2] == b"abcde"
        writer.close()

    run_script(script)


def test_expect_100_continue_is_acknowledged() -> None:
    async def script(echo: Echo, listener: Listener, port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"POST / HTTP/1.1\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        writer.write(b"go")
        assert (await read_response(reader))[2] == b"go"
        writer.close()

    run_script(script)


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (post(b"x" * 101), 413),
        (
            b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
            + b"65\r\n"
            + b"x" * 101
            + b"\r\n0\r\n\r\n",
            413,
        ),
        (b"POST / HTTP/1.1\r\nX: " + b"y" * 600 + b"\r\n\r\n", 431),
        (b"POST /" + b"z" * 600 + b" HTTP/1.1\r\n\r\n", 431),
        (b"\x16\x03\x01 not HTTP\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nContent-Length: -5\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n", 400),
    ],
    ids=["body", "chunked body", "header", "target", "not HTTP", "bad length", "upgrade"],
)
def test_too_large_or_malformed_request_is_rejected_and_closed(sent: bytes, status: int) -> None:
    async def script(echo: Echo, listener: Listener, port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(sent)
        assert (await read_response(reader))[0] == status
        assert await reader.read() == b""
        assert echo.requests == []
        writer.close()

    run_script(script, Limits(max_body=100, max_headers=500))


def test_connection_beyond_limit_gets_503() -> None:
    async def script(echo: Echo, listener: Listener, port: int) -> None:
        pairs = [await asyncio.open_connection("127.0.0.1", port) for _ in range(2)]
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        assert (await read_response(reader))[0] == 503
        pairs[0][1].write(post(b"still served"))
        assert (await read_response(pairs[0][0]))[2] == b"still served"
        for _, open_writer in [*pairs, (reader, writer)]:
            open_writer.close()

    run_script(script, Limits(max_connections=2))


# A client that never finishes its request must not occupy a connection forever.
@pytest.mark.parametrize("sent", [b"POST / HTTP/1.1\r\n", post(b"12345")[:-2]])
def test_unfinished_request_times_out_with_408(sent: bytes) -> None:
    async def script(echo: Echo, listener: Listener, port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(sent)
        assert (await read_response(reader))[0] == 408
        writer.close()

    run_script(script, Limits(request_timeout=0.05))


# The client would take a response now for the response to its next request.
def test_idle_connection_is_closed_without_response() -> None:
    async def script(echo: Echo, listener: Listener, port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        assert await reader.read() == b""
        writer.close()

    run_script(script, Limits(idle_timeout=0.05))


# The limit is lowered only after the request has arrived, so that a slow machine does not matter.
def test_connection_idle_after_response_is_closed() -> None:
    async def script(echo: Echo, listener: Listener, port: int) -> None:
        echo.free.clear()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(post(b""))
        await wait_for_request(echo)
        listener.limits = Limits(idle_timeout=0.05)
        echo.free.set()
        assert (await read_response(reader))[0] == 200
        assert await reader.read() == b""
        writer.close()

    run_script(script)


# Further requests of a client that does not read its responses are not read.
def test_pipelined_requests_are_bounded() -> None:
    async def script(echo: Echo, listener: Listener, port: int) -> None:
        echo.free.clear()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(post(b"x") * 50)
        await writer.drain()
        await wait_for_request(echo)
        (connection,) = listener.connections
        echo.free.set()
        for _ in range(50):
            assert (await read_response(reader))[2] == b"x"
        assert len(connection.requests) == 0
        writer.close()

    run_script(script, Limits(max_pipelined=4))


def test_stop_responds_to_request_in_flight_and_closes_idle_connections() -> None:
    async def script(echo: Echo, listener: Listener, port: int) -> None:
        echo.free.clear()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        idle_reader, idle_writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(post(b"in flight"))
        await wait_for_request(echo)
        stopping = asyncio.create_task(listener.stop())
        assert await idle_reader.read() == b""
        echo.free.set()
        status, headers, body = await read_response(reader)
        assert (status, body, headers["connection"]) == (200, b"in flight", "close")
        await stopping
        with pytest.raises(ConnectionError):
            await asyncio.open_connection("127.0.0.1", port)
        writer.close()
        idle_writer.close()

    run_script(script)


# Otherwise the client would take the rejection for the response to its first request.
def test_rejection_follows_responses_to_earlier_requests() -> None:
    async def script(echo: Echo, listener: Listener, port: int) -> None:
        echo.free.clear()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(post(b"one") + post(b"two") + b"\x00nonsense\r\n\r\n" + post(b"three"))
        await wait_for_request(echo)
        echo.free.set()
        assert [(await read_response(reader))[2] for _ in range(2)] == [b"one", b"two"]
        assert (await read_response(reader))[0] == 400
        assert await reader.read() == b""
        assert [request.body for request in echo.requests] == [b"one", b"two"]
        writer.close()

    run_script(script)


# There are no remaining bytes to discard, so the connection must not be kept for them.
def test_rejected_client_that_has_sent_everything_is_closed_at_once() -> None:
    async def script(echo: Echo, listener: Listener, port: int) -> None:
        echo.free.clear()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(post(b"one") + b"\x00nonsense\r\n\r\n")
        writer.write_eof()
        await wait_for_request(echo)
        [connection] = listener.connections
        while not connection.ended:
            await asyncio.sleep(0)
        echo.free.set()
        assert [(await read_response(reader))[0] for _ in range(2)] == [200, 400]
        assert await reader.read() == b""
        assert not connection.lingering
        writer.close()

    run_script(script)


def test_stop_responds_to_all_pipelined_requests() -> None:
    async def script(echo: Echo, listener: Listener, port: int) -> None:
        echo.free.clear()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(post(b"one") + post(b"two"))
        await wait_for_request(echo)
        stopping = asyncio.create_task(listener.stop())
        await asyncio.sleep(0)
        echo.free.set()
        responses = [await read_response(reader) for _ in range(2)]
        assert [body for _, _, body in responses] == [b"one", b"two"]
        assert [headers["connection"] for _, headers, _ in responses] == ["keep-alive", "close"]
        await stopping
        writer.close()

    run_script(script)


def test_response_to_head_has_length_but_no_body() -> None:
    async def script(echo: Echo, listener: Listener, port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(post(b"abc").replace(b"POST", b"HEAD") + post(b"next"))
        head = await reader.readuntil(b"\r\n\r\n")
        assert b"content-length: 3\r\n" in head
        assert (await read_response(reader))[2] == b"next"
        writer.close()

    run_script(script)


# If the rest of the body were not read, the connection would be reset and the response lost.
def test_client_that_sends_too_much_receives_413() -> None:
    async def script(echo: Echo, listener: Listener, port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(post(b"x" * 20_000_000))
        await writer.drain()
        assert (await read_response(reader))[0] == 413
        assert await reader.read() == b""
        writer.close()

    run_script(script, Limits(max_body=100))


# The parser buffers a header until it is complete, however long it gets.
@pytest.mark.parametrize(
    "head",
    [
        b"POST / HTTP/1.1\r\nX: ",
        b"POST / HTTP/1.1\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nTrailer: ",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5;extension=",
    ],
    ids=["value", "name", "trailer", "chunk"],
)
def test_endless_header_is_rejected(head: bytes) -> None:
    async def script(echo: Echo, listener: Listener, port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(head)
        while not [connection for connection in listener.connections if connection.target]:
            await asyncio.sleep(0)
        writer.write(b"x" * 10_000)
        assert (await read_response(reader))[0] == 431
        writer.close()

    run_script(script, Limits(max_headers=500))


# Responses that are not read would fill the memory.
def test_client_that_does_not_read_is_disconnected() -> None:
    async def script(echo: Echo, listener: Listener, port: int) -> None:
        _, writer = await asyncio.open_connection("127.0.0.1", port, limit=1)
        for _ in range(100):
            writer.write(post(b"x" * 500_000))
        await wait_for_request(echo)
        listener.limits = Limits(idle_timeout=0.2, request_timeout=0.2)
        while listener.connections:
            await asyncio.sleep(0.01)
        assert len(echo.requests) < 50
        writer.transport.abort()

    run_script(script)


def test_client_that_half_closes_still_gets_responses() -> None:
    async def script(echo: Echo, listener: Listener, port: int) -> None:
        echo.free.clear()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(post(b"one") + post(b"two"))
        writer.write_eof()
        await wait_for_request(echo)
        echo.free.set()
        assert [(await read_response(reader))[2] for _ in range(2)] == [b"one", b"two"]
        assert await reader.read() == b""
        writer.close()

    run_script(script)


class FailingHandler(Echo):
    """Raise instead of responding."""

    async def handle(self, request: HttpRequest) -> HttpResponse:
        raise RuntimeError("broken")


# Otherwise the client would wait forever.
def test_handler_error_becomes_500() -> None:
    async def run() -> None:
        listener = Listener(FailingHandler())
        _, port = await listener.start("127.0.0.1", 0)
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(post(b"x") * 2)
        assert [(await read_response(reader))[0] for _ in range(2)] == [500, 500]
        writer.close()
        await listener.stop()

    asyncio.run(run())


@given(st.integers(0, 2**33))
def test_date_header_has_http_format(second: int) -> None:
    assert _http_date(second) == formatdate(second, usegmt=True)


def test_unknown_status_has_a_status_line() -> None:
    assert response_head(HttpResponse(299), keep_alive=False).startswith(b"HTTP/1.1 299 \r\n")
