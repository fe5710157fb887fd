"""Serve HTTP/1.1 on one connection: parse requests within limits and respond in order."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, Protocol, cast

import httptools

from dynamodb_engine.server.app import MAX_BODY
from dynamodb_engine.server.deadline import Deadline
from dynamodb_engine.server.eager_task import start_eagerly
from dynamodb_engine.server.observe import Observer, Traffic
from dynamodb_engine.wire import (
    MAX_HEADER_COUNT,
    HttpRequest,
    HttpResponse,
    add_header,
    parse_plain_request,
    response_head,
)

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
# A client that is rejected while it still sends would get a connection reset instead of the status.
# So its remaining bytes are read and discarded for a short time before the connection is closed.
_SENT_MID_REQUEST = (400, 413, 431)
_LINGER = 2.0
# The approximate memory of a request without its body.
_REQUEST_OVERHEAD = 2048
# Each connection may always hold this much, so small requests are served even at the limit.
_FREE_BYTES = 64 * 1024
_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on the resources of a client; sizes are in bytes and timeouts in seconds."""

    max_body: int = MAX_BODY
    max_head_bytes: int = 64 * 1024
    max_connections: int = 1000
    max_pipelined: int = 32  # requests of one connection that wait for their response
    max_held: int = 256 * 1024 * 1024  # requests and unsent responses of all connections together
    idle_timeout: float = 60  # without a byte
    request_timeout: float = 60  # from a request's first byte to its last


class RequestHandler(Protocol):
    """Responds to requests, as `DynamoDBApp` does."""

    def handle(self, request: HttpRequest) -> Coroutine[Any, Any, HttpResponse]:
        """Return the response to a complete request."""
        ...


class ServerState:
    """State that all connections of a server share.

    With `eager`, a request gets a task only when its handler has to wait. The handler must then not
    use the current task before its first wait.
    """

    def __init__(
        self,
        app: RequestHandler,
        limits: Limits,
        observer: Observer | None = None,
        *,
        eager: bool = False,
    ) -> None:
        self.app = app
        self.limits = limits
        self.observer = observer
        self.eager = eager
        self.traffic = Traffic()
        if observer is not None:
            observer.traffic = self.traffic
        self.connections: set[Connection] = set()
        self.held = 0  # bytes that connections hold beyond _FREE_BYTES each
        self.stopping = False

    def make_room(self, size: int) -> bool:
        """Return whether connections may hold `size` more bytes.

        To make room, disconnect clients that do not read their responses, the largest first.
        """
        while self.held + size > self.limits.max_held:
            unread = [each for each in self.connections if not each.writable.is_set()]
            largest = max(unread, key=lambda each: each.charged, default=None)
            if largest is None or not largest.charged:
                return False
            largest.abort()
            largest.release_all()
        return True


class Connection(asyncio.Protocol):
    """One client's connection.

    Rule 1. Responses are sent in the order of the requests. A rejection waits for its turn too, and
    is the last response.
    Rule 2. A client that never finishes a request, or never reads its responses, is disconnected
    after a timeout.
    Rule 3. The bytes that all connections hold are limited. Beyond the limit, large requests are
    rejected and clients that do not read are disconnected.
    """

    def __init__(self, server: ServerState) -> None:
        self.server = server
        self.transport: asyncio.Transport | None = None
        self.client = ""
        self.parser = httptools.HttpRequestParser(self)
        self.requests: deque[tuple[HttpRequest, bool]] = deque()
        self.worker: asyncio.Task[None] | None = None
        self.closing = False  # further input is ignored
        self.receiving = False  # a request has begun to arrive
        self.rejection: int | None = None
        self.lingering = False
        self.ended = False  # the client sends nothing more
        self.writable = asyncio.Event()
        self.writable.set()
        self.deadline = Deadline(self._time_out)
        self.unparsed = 0
        self.held = 0  # bytes of requests and unsent responses
        self.charged = 0  # the part of `held` that counts toward the limit of all connections
        self._reset_request()

    # Called by the transport.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Register the connection; respond with 503 if there are too many."""
        self.transport = cast(asyncio.Transport, transport)
        self.client = str((transport.get_extra_info("peername") or [""])[0])
        self.server.connections.add(self)
        self.server.traffic.connected += 1
        self.server.traffic.connections += 1
        if len(self.server.connections) > self.server.limits.max_connections:
            self._reject(503)
        else:
            self.deadline.set(self.server.limits.idle_timeout)

    def data_received(self, data: bytes) -> None:
        """Parse bytes of a request."""
        self.server.traffic.received += len(data)
        if self.closing:
            return
        if not self.receiving and not self.unparsed:
            request = parse_plain_request(data, self.client, self.server.limits.max_head_bytes)
            if request is not None and len(request.body) <= self.server.limits.max_body:
                self._enqueue(request, keep_alive=True)
                return
        # The parser buffers a header until it is complete, so an endless one must be counted here.
        self.unparsed += len(data)
        try:
            self.parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            self._reject(400)
        if self.unparsed > self.server.limits.max_head_bytes:
            self._reject(431)

    def eof_received(self) -> bool:
        """Stop reading; return whether the client is still owed responses."""
        self.closing = True
        self.ended = True
        self.deadline.clear()
        return self.worker is not None

    def pause_writing(self) -> None:
        """Send no further responses for now: the client does not read them."""
        self.writable.clear()

    def resume_writing(self) -> None:
        """Send responses again."""
        self.writable.set()

    def connection_lost(self, exc: Exception | None) -> None:
        """Clean up after the client has disconnected."""
        self.closing = True
        self.writable.set()
        self.release_all()
        self.server.connections.discard(self)
        self.server.traffic.connections -= 1
        # These refer to this connection: break the reference cycles.
        self.deadline.cancel()
        self.transport = None
        del self.parser

    # Called by the parser.

    def on_message_begin(self) -> None:
        """Start a request and its timeout."""
        self._reset_request()
        self.receiving = True
        self.deadline.set(self.server.limits.request_timeout)

    def on_url(self, url: bytes) -> None:
        """Add a piece of the request target."""
        self.target += url
        self._count_head(len(url))

    def on_header(self, name: bytes, value: bytes) -> None:
        """Add a header; ignore trailers, which follow a chunked body."""
        self._count_head(len(name) + len(value) + 4)
        self.header_count += 1
        if self.header_count > MAX_HEADER_COUNT:  # repeated ones too: joining thousands takes long
            self._reject(431)
        elif not self.in_body:
            add_header(self.headers, name, value)

    def on_headers_complete(self) -> None:
        """Reject a body that is too large before it is sent."""
        self.unparsed = 0
        self.in_body = True
        length = self.headers.get("content-length", "")
        if self.parser.should_upgrade():
            self._reject(400)
        elif length.isdigit() and int(length) > self.server.limits.max_body:
            self._reject(413)
        elif self.headers.get("expect", "").lower() == "100-continue":
            self._write(CONTINUE)

    def on_body(self, body: bytes) -> None:
        """Add a piece of the body."""
        self.unparsed = 0
        if len(self.body) + len(body) > self.server.limits.max_body:
            self._reject(413)
        elif not self.closing:
            if self._hold(len(body)):
                self.body += body
            else:
                self._reject(503)

    def on_message_complete(self) -> None:
        """Enqueue the complete request."""
        self.unparsed = 0
        self.receiving = False
        if self.closing:
            return
        request = HttpRequest(
            self.parser.get_method().decode("latin-1"),
            self.target.decode("latin-1"),
            self.headers,
            bytes(self.body),
            self.client,
        )
        self._hold(-len(self.body))  # counted again with the request
        self._reset_request()
        self._enqueue(request, keep_alive=self.parser.should_keep_alive())

    # Called by the server.

    def stop(self) -> None:
        """Accept no more requests; close after responding to those that have arrived."""
        self.closing = True
        if self.worker is None:
            self._close()

    def abort(self) -> None:
        """Close immediately."""
        if self.transport is not None:
            self.transport.abort()

    def _enqueue(self, request: HttpRequest, *, keep_alive: bool) -> None:
        """Respond to the request after those before it."""
        if not self._hold(len(request.body) + _REQUEST_OVERHEAD):
            self._reject(503)
            return
        self.deadline.clear()
        self.requests.append((request, keep_alive))
        if self.worker is not None:
            if len(self.requests) >= self.server.limits.max_pipelined and self.transport:
                self.transport.pause_reading()
        elif self.server.eager:
            self.worker = start_eagerly(self._work())
        else:
            self.worker = asyncio.get_running_loop().create_task(self._work())

    async def _work(self) -> None:
        """Respond to the queued requests in order."""
        while self.requests and self.transport and not self.transport.is_closing():
            request, keep_alive = self.requests.popleft()
            self.transport.resume_reading()
            response = await self._handle(request)
            keep_alive = keep_alive and not (self.server.stopping and not self.requests)
            body = b"" if request.method == "HEAD" else response.body
            self._hold(-len(request.body) - _REQUEST_OVERHEAD)
            self._write(response_head(response, keep_alive) + body)
            del request, response, body  # free them while waiting for the next request
            if not keep_alive:
                self.requests.clear()
                self.closing = True
            elif not self.writable.is_set():
                await self._wait_until_writable()
        self.worker = None
        if self.closing:
            self._close()
        else:
            self.deadline.set(self.server.limits.idle_timeout)

    async def _handle(self, request: HttpRequest) -> HttpResponse:
        try:
            return await self.server.app.handle(request)
        except Exception:
            _logger.exception("Unhandled error while handling a request")
            return HttpResponse(500)

    async def _wait_until_writable(self) -> None:
        if self.transport is None:
            return
        unsent = self.transport.get_write_buffer_size()
        if not self._hold(unsent):
            self.abort()
            return
        self.deadline.set(self.server.limits.idle_timeout)
        await self.writable.wait()
        self._hold(-unsent)
        self.deadline.clear()

    def _hold(self, size: int) -> bool:
        """Count bytes kept in memory for this client; a negative `size` releases them.

        Return False, without counting them, if they exceed the limit of all connections.
        """
        held = self.held + size
        if held > _FREE_BYTES or self.charged:
            charge = max(0, held - _FREE_BYTES) - self.charged
            if charge > 0 and not self.server.make_room(charge):
                return False
            self.charged += charge
            self.server.held += charge
        self.held = held
        return True

    def release_all(self) -> None:
        """Release all bytes counted for this connection."""
        self._hold(-self.held)

    def _write(self, data: bytes) -> None:
        if self.transport is not None:
            self.server.traffic.sent += len(data)
            self.transport.write(data)

    def _reset_request(self) -> None:
        self.unparsed = 0
        self.target = b""
        self.headers: dict[str, str] = {}
        self.body = bytearray()
        self.head_size = 0
        self.header_count = 0
        self.in_body = False

    def _count_head(self, size: int) -> None:
        self.unparsed = 0
        self.head_size += size
        if self.head_size > self.server.limits.max_head_bytes:
            self._reject(431)

    def _reject(self, status: int) -> None:
        """Read no further; send the status after the responses that are due, then close."""
        if self.closing:
            return
        self.closing = True
        self.rejection = status
        self._hold(-len(self.body))
        self._reset_request()
        if self.worker is None:
            self._close()

    def _close(self) -> None:
        if self.transport is None or self.transport.is_closing():
            return
        if self.rejection is not None and not self.lingering:
            self._write(response_head(HttpResponse(self.rejection), keep_alive=False))
            if self.server.observer is not None:
                self.server.observer.request_rejected(self.client, self.rejection)
        mid_request = self.rejection in _SENT_MID_REQUEST or (
            self.rejection == 503 and self.receiving
        )
        if mid_request and not (self.lingering or self.ended):
            self.lingering = True
            if self.transport.can_write_eof():  # TLS cannot close one direction only
                self.transport.write_eof()
            self.deadline.set(min(_LINGER, self.server.limits.idle_timeout))
        else:
            self.transport.close()
            self.deadline.set(self.server.limits.idle_timeout)

    def _time_out(self) -> None:
        """Disconnect a client that sent or read too little for too long."""
        if self.closing or (self.transport and self.transport.get_write_buffer_size()):
            self.abort()
        elif self.receiving:
            self._reject(408)
        else:
            # Close an idle connection without a status: a client that keeps it for later would take
            # the status for the response to its next request.
            self.stop()
