"""HTTP/1.1 on a socket: requests are read within limits and answered in order, none left behind."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass
from http import HTTPStatus
from typing import Protocol, cast

import httptools

from singletable.wire import HttpRequest, HttpResponse

_REASONS = {status.value: status.phrase for status in HTTPStatus}
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a client may ask of the process."""

    body: int = 16 * 1024 * 1024
    headers: int = 64 * 1024
    connections: int = 1000
    waiting: int = 32  # requests on one connection that are read but not answered
    idle: float = 60  # seconds without a byte
    request: float = 60  # seconds that a request may take to arrive


class Answering(Protocol):
    """Whoever answers requests."""

    async def answer(self, request: HttpRequest) -> HttpResponse:
        """The response to a request that has arrived in full."""
        ...


class Connection(asyncio.Protocol):
    """One client's connection."""

    def __init__(self, house: Listener) -> None:
        self.house = house
        self.transport: asyncio.Transport | None = None
        self.parser = httptools.HttpRequestParser(self)
        self.requests: deque[tuple[HttpRequest, bool]] = deque()
        self.worker: asyncio.Task[None] | None = None
        self.closing = False
        self.deadline: asyncio.TimerHandle | None = None
        self._begin()

    # The socket calls these.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client is here; one too many is sent away."""
        self.transport = cast(asyncio.Transport, transport)
        self.house.connections.add(self)
        if len(self.house.connections) > self.house.limits.connections:
            self._refuse(503)
        self._set_deadline(self.house.limits.idle)

    def data_received(self, data: bytes) -> None:
        """Bytes of a request."""
        if self.closing:
            return
        try:
            self.parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            self._refuse(400)

    def connection_lost(self, exc: Exception | None) -> None:
        """The client is gone."""
        self.closing = True
        self._clear_deadline()
        self.house.connections.discard(self)

    # The parser calls these.

    def on_message_begin(self) -> None:
        """A request begins."""
        self._begin()
        self._set_deadline(self.house.limits.request)

    def on_url(self, url: bytes) -> None:
        """A piece of the request's target."""
        self.target += url
        self._count(len(url))

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header of the request."""
        self._count(len(name) + len(value) + 4)
        self.headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        """The body follows, if it may."""
        length = self.headers.get("content-length", "")
        if self.parser.should_upgrade():
            self._refuse(400)
        elif length.isdigit() and int(length) > self.house.limits.body:
            self._refuse(413)
        elif self.headers.get("expect", "").lower() == "100-continue" and self.transport:
            self.transport.write(_CONTINUE)

    def on_body(self, body: bytes) -> None:
        """A piece of the body."""
        self.size += len(body)
        if self.size > self.house.limits.body:
            self._refuse(413)
        else:
            self.chunks.append(body)

    def on_message_complete(self) -> None:
        """The request has arrived in full."""
        if self.closing:
            return
        self._clear_deadline()
        request = HttpRequest(
            self.parser.get_method().decode("latin-1"),
            self.target.decode("latin-1"),
            self.headers,
            b"".join(self.chunks),
        )
        self.requests.append((request, self.parser.should_keep_alive()))
        if len(self.requests) >= self.house.limits.waiting and self.transport is not None:
            self.transport.pause_reading()
        if self.worker is None:
            self.worker = asyncio.get_running_loop().create_task(self._work())

    # The rest is our own.

    async def _work(self) -> None:
        """Answer what has been asked, one after the other, in order."""
        while self.requests and self.transport is not None:
            request, keep = self.requests.popleft()
            self.transport.resume_reading()
            response = await self.house.app.answer(request)
            if self.transport.is_closing():
                break
            keep = keep and not self.house.stopping
            self.transport.write(_head(response, keep) + response.body)
            if not keep:
                self.transport.close()
                break
        self.worker = None
        if self.house.stopping and self.transport is not None:
            self.transport.close()
        self._set_deadline(self.house.limits.idle)

    def stop(self) -> None:
        """Take no more requests; close once those that have arrived are answered."""
        if self.worker is None and self.transport is not None:
            self.transport.close()

    def _begin(self) -> None:
        self.target = b""
        self.headers: dict[str, str] = {}
        self.chunks: list[bytes] = []
        self.size = 0
        self.head_size = 0

    def _count(self, size: int) -> None:
        self.head_size += size
        if self.head_size > self.house.limits.headers:
            self._refuse(431)

    def _refuse(self, status: int) -> None:
        """Say why in a word, and hang up."""
        if self.closing or self.transport is None:
            return
        self.closing = True
        self.transport.write(_head(HttpResponse(status), keep=False))
        self.transport.close()

    def _set_deadline(self, seconds: float) -> None:
        self._clear_deadline()
        loop = asyncio.get_running_loop()
        self.deadline = loop.call_later(seconds, self._refuse, 408)

    def _clear_deadline(self) -> None:
        if self.deadline is not None:
            self.deadline.cancel()
            self.deadline = None


def _head(response: HttpResponse, keep: bool) -> bytes:
    lines = [f"HTTP/1.1 {response.status} {_REASONS.get(response.status, '')}"]
    lines += [f"{name}: {value}" for name, value in response.headers.items()]
    lines.append(f"content-length: {len(response.body)}")
    lines.append("connection: keep-alive" if keep else "connection: close")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


class Listener:
    """A socket that is listened to, until it is told to stop."""

    def __init__(self, app: Answering, limits: Limits | None = None) -> None:
        self.app = app
        self.limits = limits or Limits()
        self.connections: set[Connection] = set()
        self.stopping = False
        self._server: asyncio.Server | None = None

    async def start(self, host: str, port: int) -> tuple[str, int]:
        """Listen; the address that clients can use, with the port that was free if it was 0."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: Connection(self), host, port, backlog=1024)
        address = self._server.sockets[0].getsockname()
        return address[0], address[1]

    async def stop(self, patience: float = 10) -> None:
        """Take no more requests, answer those that have arrived, and hang up."""
        self.stopping = True
        if self._server is not None:
            self._server.close()
        for connection in list(self.connections):
            connection.stop()
        end = asyncio.get_running_loop().time() + patience
        while self.connections and asyncio.get_running_loop().time() < end:
            await asyncio.sleep(0.01)
