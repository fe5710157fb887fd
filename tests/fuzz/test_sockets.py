"""Bytes on a socket: whole requests are answered in order, the rest is refused, nobody waits."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import count

import pytest
from hypothesis import given

from singletable.server import DynamoDBApp, Limits, Listener
from singletable.wire import HttpRequest, HttpResponse
from tests.fuzz.exchanges import MOST, check_response
from tests.fuzz.kept import STREAMS, Heard
from tests.fuzz.streams import Stream, broken, sound
from tests.fuzz.world import World

# It only guards the run: what takes so long will never end.
PATIENCE = 60
REFUSALS = (400, 408, 413, 431)


class Server:
    """A listener on a port, with everything that was asked of it and went wrong in it."""

    def __init__(self, runner: asyncio.Runner) -> None:
        self.runner = runner
        self.world = World()
        ids = count(1)
        self.app = DynamoDBApp(self.world, new_id=lambda: str(next(ids)), max_body=MOST)
        self.listener = Listener(self, Limits(max_body=MOST, max_headers=16_384, max_pipelined=4))
        self.asked: list[HttpRequest] = []
        self.patience = 0
        self.wrongs: list[object] = []
        self.port = 0

    async def start(self) -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: self.wrongs.append(context))
        _, self.port = await self.listener.start("127.0.0.1", 0)

    async def handle(self, request: HttpRequest) -> HttpResponse:
        """Answer as the application does, after letting others go first."""
        self.asked.append(request)
        for _ in range(self.patience):
            await asyncio.sleep(0)
        return await self.app.handle(request)

    def hear(self, stream: Stream) -> list[HttpResponse]:
        """Send the stream, and give the answers to it; the listener must be well afterwards."""
        self.asked.clear()
        self.patience = stream.patience
        answers = responses(self.runner.run(self._exchange(stream)), self.asked)
        assert not self.wrongs
        if self.world.is_changed():
            assert stream.abrupt or [answer for answer in answers if answer.status == 200]
            self.world.renew()
        return answers

    async def _exchange(self, stream: Stream) -> bytes:
        async with asyncio.timeout(PATIENCE):
            heard = await self._send(stream)
            while self.listener.connections:
                await asyncio.sleep(0)
            # Whatever happened, the next client is served.
            well = await self._send(Stream([b"GET / HTTP/1.1\r\n\r\n"], 1, False, 0))
        assert well.startswith(b"HTTP/1.1 200 OK\r\n")
        self.asked.pop()
        return heard

    async def _send(self, stream: Stream) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            for piece in stream.pieces:
                writer.write(piece)
                await asyncio.sleep(0)
            if stream.abrupt:
                writer.transport.abort()
                return b""
            await writer.drain()
            writer.write_eof()
            return await reader.read()
        finally:
            writer.close()


def responses(heard: bytes, asked: list[HttpRequest]) -> list[HttpResponse]:
    """The responses that the bytes hold, the first to the first request and so on."""
    answers: list[HttpResponse] = []
    while heard:
        head, end, heard = heard.partition(b"\r\n\r\n")
        assert end, "a response has no end"
        first, *lines = head.decode("latin-1").split("\r\n")
        version, status, _ = first.split(" ", 2)
        assert version == "HTTP/1.1"
        if status == "100":
            continue
        headers = dict(line.split(": ", 1) for line in lines)
        size = int(headers.pop("content-length"))
        assert headers.pop("connection") in ("close", "keep-alive")
        if len(answers) < len(asked) and asked[len(answers)].method == "HEAD":
            answers.append(HttpResponse(int(status)))
            continue
        assert len(heard) >= size
        answers.append(HttpResponse(int(status), headers, heard[:size]))
        heard = heard[size:]
    return answers


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with asyncio.Runner() as runner:
        server = Server(runner)
        runner.run(server.start())
        yield server
        runner.run(server.listener.stop())
        server.world.engine.close()


def check_order(answers: list[HttpResponse]) -> None:
    ids = [int(answer.headers.get("x-amzn-requestid", 0)) for answer in answers]
    told = [each for each in ids if each]
    assert told == sorted(told)


@given(stream=sound())
def test_whole_requests_are_answered_in_order_whatever_follows(
    server: Server, stream: Stream
) -> None:
    answers = server.hear(stream)
    assert len(answers) in (stream.requests, stream.requests + 1)
    assert len(server.asked) == stream.requests
    for answer in answers[: stream.requests]:
        check_response(answer)
    for refusal in answers[stream.requests :]:
        assert refusal.status in REFUSALS
    check_order(answers)


@given(stream=broken())
def test_any_stream_is_answered_or_refused(server: Server, stream: Stream) -> None:
    answers = server.hear(stream)
    for answer in answers[:-1]:
        check_response(answer)
    for last in answers[-1:]:
        assert last.status in (200, 403, 404, *REFUSALS)
    check_order(answers)


@pytest.mark.parametrize("heard", STREAMS, ids=str)
def test_a_stream_that_once_broke_something_is_answered(server: Server, heard: Heard) -> None:
    assert [answer.status for answer in server.hear(heard.stream)] == heard.statuses
