"""A connection parses requests within limits, responds in order, and loses none."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Concatenate, ParamSpec, TypeAlias

import pytest

from dynamodb_engine.server import Limits, Listener
from dynamodb_engine.wire import HttpRequest, HttpResponse

P = ParamSpec("P")


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


@dataclass
class Peer:
    """A client that is connected to a listener, and the handler behind it."""

    echo: Echo
    listener: Listener
    port: int
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def read_response(self) -> tuple[int, dict[str, str], bytes]:
        return await read_response(self.reader)

    async def wait_for_request(self) -> None:
        """Wait until a request has reached the handler."""
        while not self.echo.requests:
            await asyncio.sleep(0)


Script: TypeAlias = Callable[Concatenate[Peer, P], Awaitable[None]]


def connected(limits: Limits | None = None) -> Callable[[Script[P]], Callable[P, None]]:
    """Run a test with a client that is connected to a listener, eager and not."""

    def decorate(script: Script[P]) -> Callable[P, None]:
        async def run(eager: bool, *args: P.args, **named: P.kwargs) -> None:
            echo = Echo()
            listener = Listener(echo, limits, eager=eager)
            _, port = await listener.start("127.0.0.1", 0)
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            peer = Peer(echo, listener, port, reader, writer)
            try:
                await asyncio.wait_for(script(peer, *args, **named), 20)
            finally:
                writer.close()
                echo.free.set()
                await listener.stop(timeout=1)

        def test(*args: P.args, **named: P.kwargs) -> None:
            asyncio.run(run(False, *args, **named))
            asyncio.run(run(True, *args, **named))

        parameters = list(inspect.signature(script).parameters.values())[1:]
        test.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return test

    return decorate


def post(body: bytes, *headers: str) -> bytes:
    head = ["POST / HTTP/1.1", "Host: x", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


async def read_response(reader: asyncio.StreamReader) -> tuple[int, dict[str, str], bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in head[1:] if line)
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return int(head[0].split()[1]), headers, body


@connected()
async def test_pipelined_requests_get_responses_in_order(peer: Peer) -> None:
    peer.writer.write(b"".join(post(str(n).encode()) for n in range(100)))
    for n in range(100):
        status, headers, body = await peer.read_response()
        assert (status, body, headers["connection"]) == (200, str(n).encode(), "keep-alive")


@connected()
async def test_request_may_arrive_byte_by_byte_and_in_chunks(peer: Peer) -> None:
    for byte in post(b"slow"):
        peer.writer.write(bytes([byte]))
        await peer.writer.drain()
    assert (await peer.read_response())[2] == b"slow"
    head = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    peer.writer.write(head + b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
    assert (await peer.read_response())[2] == b"abcde"


@connected()
async def test_expect_100_continue_is_acknowledged(peer: Peer) -> None:
    peer.writer.write(b"POST / HTTP/1.1\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
    assert await peer.reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
    peer.writer.write(b"go")
    assert (await peer.read_response())[2] == b"go"


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
@connected(Limits(max_body=100, max_head_bytes=500))
async def test_too_large_or_malformed_request_is_rejected_and_closed(
    peer: Peer, sent: bytes, status: int
) -> None:
    peer.writer.write(sent)
    assert (await peer.read_response())[0] == status
    assert await peer.reader.read() == b""
    assert peer.echo.requests == []


@connected(Limits(max_connections=2))
async def test_connection_beyond_limit_gets_503(peer: Peer) -> None:
    others = [await asyncio.open_connection("127.0.0.1", peer.port) for _ in range(2)]
    assert (await read_response(others[1][0]))[0] == 503
    peer.writer.write(post(b"still served"))
    assert (await peer.read_response())[2] == b"still served"
    for _, writer in others:
        writer.close()


# A client that never finishes its request must not occupy a connection forever.
@pytest.mark.parametrize("sent", [b"POST / HTTP/1.1\r\n", post(b"12345")[:-2]])
@connected(Limits(request_timeout=0.05))
async def test_unfinished_request_times_out_with_408(peer: Peer, sent: bytes) -> None:
    peer.writer.write(sent)
    assert (await peer.read_response())[0] == 408


# The client would take a response now for the response to its next request.
@connected(Limits(idle_timeout=0.05))
async def test_idle_connection_is_closed_without_response(peer: Peer) -> None:
    assert await peer.reader.read() == b""


# The limit is lowered only after the request has arrived, so that a slow machine does not matter.
@connected()
async def test_connection_idle_after_response_is_closed(peer: Peer) -> None:
    peer.echo.free.clear()
    peer.writer.write(post(b""))
    await peer.wait_for_request()
    peer.listener.limits = Limits(idle_timeout=0.05)
    peer.echo.free.set()
    assert (await peer.read_response())[0] == 200
    assert await peer.reader.read() == b""


# Further requests of a client that does not read its responses are not read.
@connected(Limits(max_pipelined=4))
async def test_pipelined_requests_are_bounded(peer: Peer) -> None:
    peer.echo.free.clear()
    peer.writer.write(post(b"x") * 50)
    await peer.writer.drain()
    await peer.wait_for_request()
    (connection,) = peer.listener.connections
    peer.echo.free.set()
    for _ in range(50):
        assert (await peer.read_response())[2] == b"x"
    assert len(connection.requests) == 0


@connected()
async def test_stop_responds_to_request_in_flight_and_closes_idle_connections(peer: Peer) -> None:
    peer.echo.free.clear()
    idle_reader, idle_writer = await asyncio.open_connection("127.0.0.1", peer.port)
    peer.writer.write(post(b"in flight"))
    await peer.wait_for_request()
    stopping = asyncio.create_task(peer.listener.stop())
    assert await idle_reader.read() == b""
    peer.echo.free.set()
    status, headers, body = await peer.read_response()
    assert (status, body, headers["connection"]) == (200, b"in flight", "close")
    await stopping
    with pytest.raises(ConnectionError):
        await asyncio.open_connection("127.0.0.1", peer.port)
    idle_writer.close()


# Otherwise the client would take the rejection for the response to its first request.
@connected()
async def test_rejection_follows_responses_to_earlier_requests(peer: Peer) -> None:
    peer.echo.free.clear()
    peer.writer.write(post(b"one") + post(b"two") + b"\x00nonsense\r\n\r\n" + post(b"three"))
    await peer.wait_for_request()
    peer.echo.free.set()
    assert [(await peer.read_response())[2] for _ in range(2)] == [b"one", b"two"]
    assert (await peer.read_response())[0] == 400
    assert await peer.reader.read() == b""
    assert [request.body for request in peer.echo.requests] == [b"one", b"two"]


# There are no remaining bytes to discard, so the connection must not be kept for them.
@connected()
async def test_rejected_client_that_has_sent_everything_is_closed_at_once(peer: Peer) -> None:
    peer.echo.free.clear()
    peer.writer.write(post(b"one") + b"\x00nonsense\r\n\r\n")
    peer.writer.write_eof()
    await peer.wait_for_request()
    [connection] = peer.listener.connections
    while not connection.ended:
        await asyncio.sleep(0)
    peer.echo.free.set()
    assert [(await peer.read_response())[0] for _ in range(2)] == [200, 400]
    assert await peer.reader.read() == b""
    assert not connection.lingering


@connected()
async def test_stop_responds_to_all_pipelined_requests(peer: Peer) -> None:
    peer.echo.free.clear()
    peer.writer.write(post(b"one") + post(b"two"))
    await peer.wait_for_request()
    stopping = asyncio.create_task(peer.listener.stop())
    await asyncio.sleep(0)
    peer.echo.free.set()
    responses = [await peer.read_response() for _ in range(2)]
    assert [body for _, _, body in responses] == [b"one", b"two"]
    assert [headers["connection"] for _, headers, _ in responses] == ["keep-alive", "close"]
    await stopping


@connected()
async def test_response_to_head_has_length_but_no_body(peer: Peer) -> None:
    peer.writer.write(post(b"abc").replace(b"POST", b"HEAD") + post(b"next"))
    head = await peer.reader.readuntil(b"\r\n\r\n")
    assert b"content-length: 3\r\n" in head
    assert (await peer.read_response())[2] == b"next"


# If the rest of the body were not read, the connection would be reset and the response lost.
@connected(Limits(max_body=100))
async def test_client_that_sends_too_much_receives_413(peer: Peer) -> None:
    peer.writer.write(post(b"x" * 20_000_000))
    await peer.writer.drain()
    assert (await peer.read_response())[0] == 413
    assert await peer.reader.read() == b""


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
@connected(Limits(max_head_bytes=500))
async def test_endless_header_is_rejected(peer: Peer, head: bytes) -> None:
    peer.writer.write(head)
    while not [connection for connection in peer.listener.connections if connection.target]:
        await asyncio.sleep(0)
    peer.writer.write(b"x" * 10_000)
    assert (await peer.read_response())[0] == 431


# Responses that are not read would fill the memory.
@connected()
async def test_client_that_does_not_read_is_disconnected(peer: Peer) -> None:
    for _ in range(100):
        peer.writer.write(post(b"x" * 500_000))
    await peer.wait_for_request()
    peer.listener.limits = Limits(idle_timeout=0.2, request_timeout=0.2)
    while peer.listener.connections:
        await asyncio.sleep(0.01)
    assert len(peer.echo.requests) < 50
    peer.writer.transport.abort()


@connected()
async def test_client_that_half_closes_still_gets_responses(peer: Peer) -> None:
    peer.echo.free.clear()
    peer.writer.write(post(b"one") + post(b"two"))
    peer.writer.write_eof()
    await peer.wait_for_request()
    peer.echo.free.set()
    assert [(await peer.read_response())[2] for _ in range(2)] == [b"one", b"two"]
    assert await peer.reader.read() == b""


@pytest.mark.parametrize("name", ["X-Amz-Target", "Host"])
@connected()
async def test_trailers_are_ignored(peer: Peer, name: str) -> None:
    peer.writer.write(b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n")
    peer.writer.write(b"X-Amz-Target: a\r\n\r\n2\r\nab\r\n0\r\n" + name.encode() + b": 9\r\n\r\n")
    assert (await peer.read_response())[2] == b"ab"
    expected = {"host": "x", "transfer-encoding": "chunked", "x-amz-target": "a"}
    assert peer.echo.requests[0].headers == expected


@connected()
async def test_repeated_header_hides_no_value(peer: Peer) -> None:
    peer.writer.write(post(b"", "X-Amz-Target: a", "X-Amz-Target: b"))
    assert (await peer.read_response())[0] == 200
    assert peer.echo.requests[0].headers["x-amz-target"] == "a, b"


@pytest.mark.parametrize(
    "headers",
    [
        ("Transfer-Encoding: chunked",),  # besides Content-Length
        ("Content-Length: 7",),
        ("Transfer-Encoding: chunked, identity",),
        tuple(f"X-{number}: y" for number in range(200)),
        ("X: y",) * 200,
    ],
    ids=["two framings", "two lengths", "unknown framing", "many headers", "repeated header"],
)
@connected()
async def test_ambiguous_or_excessive_headers_are_rejected(
    peer: Peer, headers: tuple[str, ...]
) -> None:
    peer.writer.write(post(b"body", *headers))
    assert (await peer.read_response())[0] in (400, 431)
    assert peer.echo.requests == []


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
