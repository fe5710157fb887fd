"""The listener: requests are read within limits, answered in order, and none is left behind."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from singletable.server import Limits, Listener
from singletable.wire import HttpRequest, HttpResponse


class Echo:
    """Answers with what was asked, once it is let go."""

    def __init__(self) -> None:
        self.free = asyncio.Event()
        self.free.set()
        self.asked: list[HttpRequest] = []

    async def answer(self, request: HttpRequest) -> HttpResponse:
        self.asked.append(request)
        await self.free.wait()
        return HttpResponse(200, {"content-type": "text/plain"}, request.body)


def talk(
    script: Callable[[Echo, Listener, int], Awaitable[None]], limits: Limits | None = None
) -> None:
    """Run a script against a listener on a free port, with tasks and without."""

    async def run(at_once: bool) -> None:
        echo = Echo()
        listener = Listener(echo, limits, at_once=at_once)
        _, port = await listener.start("127.0.0.1", 0)
        try:
            await asyncio.wait_for(script(echo, listener, port), 20)
        finally:
            echo.free.set()
            await listener.stop(patience=1)

    asyncio.run(run(at_once=False))
    asyncio.run(run(at_once=True))


def post(body: bytes, *headers: str) -> bytes:
    head = ["POST / HTTP/1.1", "Host: x", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


async def read_response(reader: asyncio.StreamReader) -> tuple[int, dict[str, str], bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in head[1:] if line)
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return int(head[0].split()[1]), headers, body


async def has_asked(echo: Echo) -> None:
    """Wait until a request has come to whoever answers."""
    while not echo.asked:
        await asyncio.sleep(0)


def test_a_connection_is_kept_and_pipelined_requests_are_answered_in_order() -> None:
    async def script(echo: Echo, listener: Listener, port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"".join(post(str(n).encode()) for n in range(100)))
        for n in range(100):
            status, headers, body = await read_response(reader)
            assert (status, body, headers["connection"]) == (200, str(n).encode(), "keep-alive")
        writer.close()

    talk(script)


def test_a_request_may_come_byte_by_byte_and_in_chunks() -> None:
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

    talk(script)


def test_who_expects_to_be_told_to_go_on_is_told() -> None:
    async def script(echo: Echo, listener: Listener, port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"POST / HTTP/1.1\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        writer.write(b"go")
        assert (await read_response(reader))[2] == b"go"
        writer.close()

    talk(script)


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
        (b"\x16\x03\x01 this is no HTTP\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nContent-Length: -5\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n", 400),
    ],
    ids=["body", "chunked body", "header", "target", "not HTTP", "bad length", "upgrade"],
)
def test_what_is_too_large_or_no_http_is_refused_and_hung_up_on(sent: bytes, status: int) -> None:
    async def script(echo: Echo, listener: Listener, port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(sent)
        assert (await read_response(reader))[0] == status
        assert await reader.read() == b""
        assert echo.asked == []
        writer.close()

    talk(script, Limits(body=100, headers=500))


def test_one_connection_too_many_is_sent_away() -> None:
    async def script(echo: Echo, listener: Listener, port: int) -> None:
        pairs = [await asyncio.open_connection("127.0.0.1", port) for _ in range(2)]
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        assert (await read_response(reader))[0] == 503
        pairs[0][1].write(post(b"still served"))
        assert (await read_response(pairs[0][0]))[2] == b"still served"
        for _, open_writer in [*pairs, (reader, writer)]:
            open_writer.close()

    talk(script, Limits(connections=2))


# A client that begins and never ends does not hold its place for ever.
@pytest.mark.parametrize("sent", [b"POST / HTTP/1.1\r\n", post(b"12345")[:-2]])
def test_who_does_not_go_on_is_hung_up_on(sent: bytes) -> None:
    async def script(echo: Echo, listener: Listener, port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(sent)
        assert (await read_response(reader))[0] == 408
        writer.close()

    talk(script, Limits(request=0.05))


# Nor does one that says nothing; but a word to it would be taken for the answer to what it may be
# about to ask.
def test_who_keeps_silent_is_hung_up_on_without_a_word() -> None:
    async def script(echo: Echo, listener: Listener, port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        assert await reader.read() == b""
        writer.close()

    talk(script, Limits(idle=0.05))


# It has all the time to ask, and little once it has asked, however slow the machine is.
def test_who_keeps_silent_after_an_answer_is_hung_up_on_as_well() -> None:
    async def script(echo: Echo, listener: Listener, port: int) -> None:
        echo.free.clear()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(post(b""))
        await has_asked(echo)
        listener.limits = Limits(idle=0.05)
        echo.free.set()
        assert (await read_response(reader))[0] == 200
        assert await reader.read() == b""
        writer.close()

    talk(script)


# A client that asks on and on without reading the answers is not read further.
def test_requests_that_wait_are_bounded() -> None:
    async def script(echo: Echo, listener: Listener, port: int) -> None:
        echo.free.clear()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(post(b"x") * 50)
        await writer.drain()
        await has_asked(echo)
        (connection,) = listener.connections
        echo.free.set()
        for _ in range(50):
            assert (await read_response(reader))[2] == b"x"
        assert len(connection.requests) == 0
        writer.close()

    talk(script, Limits(waiting=4))


def test_stopping_answers_what_has_arrived_and_takes_no_more() -> None:
    async def script(echo: Echo, listener: Listener, port: int) -> None:
        echo.free.clear()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        idle_reader, idle_writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(post(b"in flight"))
        await has_asked(echo)
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

    talk(script)


# A refusal waits for its turn, or the answer to the first request would be taken for it.
def test_what_came_before_nonsense_is_answered_before_it_is_refused() -> None:
    async def script(echo: Echo, listener: Listener, port: int) -> None:
        echo.free.clear()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(post(b"one") + post(b"two") + b"\x00nonsense\r\n\r\n" + post(b"three"))
        await has_asked(echo)
        echo.free.set()
        assert [(await read_response(reader))[2] for _ in range(2)] == [b"one", b"two"]
        assert (await read_response(reader))[0] == 400
        assert await reader.read() == b""
        assert [request.body for request in echo.asked] == [b"one", b"two"]
        writer.close()

    talk(script)


def test_stopping_answers_every_request_that_has_arrived() -> None:
    async def script(echo: Echo, listener: Listener, port: int) -> None:
        echo.free.clear()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(post(b"one") + post(b"two"))
        await has_asked(echo)
        stopping = asyncio.create_task(listener.stop())
        await asyncio.sleep(0)
        echo.free.set()
        answers = [await read_response(reader) for _ in range(2)]
        assert [body for _, _, body in answers] == [b"one", b"two"]
        assert [headers["connection"] for _, headers, _ in answers] == ["keep-alive", "close"]
        await stopping
        writer.close()

    talk(script)


# Its length is told, and then the next response follows at once.
def test_an_answer_to_head_has_no_body() -> None:
    async def script(echo: Echo, listener: Listener, port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(post(b"abc").replace(b"POST", b"HEAD") + post(b"next"))
        head = await reader.readuntil(b"\r\n\r\n")
        assert b"content-length: 3\r\n" in head
        assert (await read_response(reader))[2] == b"next"
        writer.close()

    talk(script)


# It sends on for a while; had nobody read that, the answer would be lost with the connection.
def test_who_sends_too_much_sees_why_it_is_refused() -> None:
    async def script(echo: Echo, listener: Listener, port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(post(b"x" * 20_000_000))
        await writer.drain()
        assert (await read_response(reader))[0] == 413
        assert await reader.read() == b""
        writer.close()

    talk(script, Limits(body=100))


# The parser tells of a header when it ends; until then it would keep it, however long it gets.
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
def test_a_header_that_does_not_end_is_refused(head: bytes) -> None:
    async def script(echo: Echo, listener: Listener, port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(head)
        while not [each for each in listener.connections if each.target]:
            await asyncio.sleep(0)
        writer.write(b"x" * 10_000)
        assert (await read_response(reader))[0] == 431
        writer.close()

    talk(script, Limits(headers=500))


# Answers that nobody reads would fill the memory; so the client is answered no further, and one
# that does not read for long is hung up on.
def test_who_does_not_read_is_answered_no_further() -> None:
    async def script(echo: Echo, listener: Listener, port: int) -> None:
        _, writer = await asyncio.open_connection("127.0.0.1", port, limit=1)
        for _ in range(100):
            writer.write(post(b"x" * 500_000))
        await has_asked(echo)
        listener.limits = Limits(idle=0.2, request=0.2)
        while listener.connections:
            await asyncio.sleep(0.01)
        assert len(echo.asked) < 50
        writer.transport.abort()

    talk(script)


def test_who_ends_after_asking_is_still_answered() -> None:
    async def script(echo: Echo, listener: Listener, port: int) -> None:
        echo.free.clear()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(post(b"one") + post(b"two"))
        writer.write_eof()
        await has_asked(echo)
        echo.free.set()
        assert [(await read_response(reader))[2] for _ in range(2)] == [b"one", b"two"]
        assert await reader.read() == b""
        writer.close()

    talk(script)


class Broken(Echo):
    """Answers nothing."""

    async def answer(self, request: HttpRequest) -> HttpResponse:
        raise RuntimeError("broken")


# Whatever goes wrong behind it, the client is told, and does not wait for ever.
def test_a_fault_of_ours_is_answered() -> None:
    async def run() -> None:
        listener = Listener(Broken())
        _, port = await listener.start("127.0.0.1", 0)
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(post(b"x") * 2)
        assert [(await read_response(reader))[0] for _ in range(2)] == [500, 500]
        writer.close()
        await listener.stop()

    asyncio.run(run())
