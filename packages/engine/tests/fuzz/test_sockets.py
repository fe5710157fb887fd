"""Bytes on a socket: complete requests are answered in order, the rest is rejected."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import count

import pytest
from hypothesis import given

from dynamodb_engine.server import DynamoDBApp, Limits, Listener
from dynamodb_engine.wire import HttpRequest, HttpResponse
from tests.fuzz.http_messages import MAX_BODY, check_response
from tests.fuzz.regressions import STREAMS, RecordedStream
from tests.fuzz.socket_streams import Stream, broken_streams, valid_streams
from tools.testing.fuzz.sandbox import Sandbox

# Seconds. This only guards the run against hanging.
TIMEOUT = 60
ERROR_STATUSES = (400, 408, 413, 431)


class Server:
    """A listener on a port, with the requests it received and the errors in its event loop."""

    def __init__(self, runner: asyncio.Runner) -> None:
        self.runner = runner
        self.sandbox = Sandbox()
        ids = count(1)
        self.app = DynamoDBApp(self.sandbox)
        self.app.new_id = lambda: str(next(ids))
        self.app.max_body = MAX_BODY
        self.listener = Listener(
            self, Limits(max_body=MAX_BODY, max_head_bytes=16_384, max_pipelined=4)
        )
        self.requests: list[HttpRequest] = []
        self.delay = 0
        self.errors: list[object] = []
        self.port = 0

    async def start(self) -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: self.errors.append(context))
        _, self.port = await self.listener.start("127.0.0.1", 0)

    async def handle(self, request: HttpRequest) -> HttpResponse:
        """Respond as the app does, after a few turns of the event loop."""
        self.requests.append(request)
        for _ in range(self.delay):
            await asyncio.sleep(0)
        return await self.app.handle(request)

    def send(self, stream: Stream) -> list[HttpResponse]:
        """Send the stream and return the responses; the listener must work afterwards."""
        self.requests.clear()
        self.delay = stream.delay
        responses = parse_responses(self.runner.run(self._exchange(stream)), self.requests)
        assert not self.errors
        if self.sandbox.is_changed():
            assert stream.abrupt or [response for response in responses if response.status == 200]
            self.sandbox.reset()
        return responses

    async def _exchange(self, stream: Stream) -> bytes:
        async with asyncio.timeout(TIMEOUT):
            received = await self._send(stream)
            while self.listener.connections:
                await asyncio.sleep(0)
            # Whatever happened, the next client must be served.
            health = await self._send(Stream([b"GET / HTTP/1.1\r\n\r\n"], 1, False, 0))
        assert health.startswith(b"HTTP/1.1 200 OK\r\n")
        self.requests.pop()
        return received

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


def parse_responses(received: bytes, requests: list[HttpRequest]) -> list[HttpResponse]:
    """Return the responses in the received bytes; they are in the order of the requests."""
    responses: list[HttpResponse] = []
    while received:
        head, end, received = received.partition(b"\r\n\r\n")
        assert end, "a response has no end"
        first, *lines = head.decode("latin-1").split("\r\n")
        version, status, _ = first.split(" ", 2)
        assert version == "HTTP/1.1"
        if status == "100":
            continue
        headers = dict(line.split(": ", 1) for line in lines)
        size = int(headers.pop("content-length"))
        assert headers.pop("connection") in ("close", "keep-alive")
        if len(responses) < len(requests) and requests[len(responses)].method == "HEAD":
            responses.append(HttpResponse(int(status)))
            continue
        assert len(received) >= size
        responses.append(HttpResponse(int(status), headers, received[:size]))
        received = received[size:]
    return responses


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with asyncio.Runner() as runner:
        server = Server(runner)
        runner.run(server.start())
        yield server
        runner.run(server.listener.stop())
        server.sandbox.engine.close()


def check_order(responses: list[HttpResponse]) -> None:
    ids = [int(response.headers.get("x-amzn-requestid", 0)) for response in responses]
    known = [each for each in ids if each]
    assert known == sorted(known)


@given(stream=valid_streams())
def test_complete_requests_are_answered_in_order(server: Server, stream: Stream) -> None:
    responses = server.send(stream)
    assert len(responses) in (stream.requests, stream.requests + 1)
    assert len(server.requests) == stream.requests
    for response in responses[: stream.requests]:
        check_response(response)
    for error in responses[stream.requests :]:
        assert error.status in ERROR_STATUSES
    check_order(responses)


@given(stream=broken_streams())
def test_any_stream_is_answered_or_rejected(server: Server, stream: Stream) -> None:
    responses = server.send(stream)
    for response in responses[:-1]:
        check_response(response)
    for last in responses[-1:]:
        assert last.status in (200, 403, 404, *ERROR_STATUSES)
    check_order(responses)


@pytest.mark.parametrize("recorded", STREAMS, ids=str)
def test_recorded_stream_is_answered(server: Server, recorded: RecordedStream) -> None:
    assert [response.status for response in server.send(recorded.stream)] == recorded.statuses
