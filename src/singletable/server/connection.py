"""One client's connection: requests are read within limits and answered in order."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from typing import Protocol, cast

import httptools

from singletable.server.begin import begin
from singletable.server.deadline import Deadline
from singletable.server.head import CONTINUE, head_of
from singletable.server.limits import Limits
from singletable.server.observe import Observer, Traffic
from singletable.wire import HttpRequest, HttpResponse, plain_request

# A client that is refused may be sending still, and would not see why if nobody read it: so it is
# read a little longer, and what it says is passed over.
_WHILE_SENDING = (400, 413, 431)
_LINGER = 2.0
_logger = logging.getLogger(__name__)


class Answering(Protocol):
    """Whoever answers requests."""

    async def answer(self, request: HttpRequest) -> HttpResponse:
        """The response to a request that has arrived in full."""
        ...


class House:
    """Where connections are made: who answers, what is allowed, and who is here.

    `at_once` is for whoever answers without asking for its task: it is then given one only when it
    has to wait.
    """

    def __init__(
        self,
        app: Answering,
        limits: Limits,
        observer: Observer | None = None,
        *,
        at_once: bool = False,
    ) -> None:
        self.app = app
        self.limits = limits
        self.observer = observer
        self.at_once = at_once
        self.traffic = Traffic()
        if observer is not None:
            observer.traffic = self.traffic
        self.connections: set[Connection] = set()
        self.stopping = False


class Connection(asyncio.Protocol):
    """One client's connection.

    Rule 1. Answers go out in the order of the requests, a refusal among them, and nothing after it.
    Rule 2. Who sends what is never finished, or never reads the answers, is hung up on in time.
    """

    def __init__(self, house: House) -> None:
        self.house = house
        self.transport: asyncio.Transport | None = None
        self.client = ""
        self.parser = httptools.HttpRequestParser(self)
        self.requests: deque[tuple[HttpRequest, bool]] = deque()
        self.worker: asyncio.Task[None] | None = None
        self.closing = False  # nothing that still comes is read
        self.asking = False  # a request has begun to arrive
        self.refusal: int | None = None
        self.hung_up = False
        self.read_by_client = asyncio.Event()
        self.read_by_client.set()
        self.deadline = Deadline(self._run_out_of_time)
        self.unfinished = 0
        self._begin()

    # The socket calls these.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client is here; one too many is sent away."""
        self.transport = cast(asyncio.Transport, transport)
        self.client = str((transport.get_extra_info("peername") or [""])[0])
        self.house.connections.add(self)
        self.house.traffic.connected += 1
        self.house.traffic.connections += 1
        if len(self.house.connections) > self.house.limits.connections:
            self._refuse(503)
        else:
            self.deadline.set(self.house.limits.idle)

    def data_received(self, data: bytes) -> None:
        """Bytes of a request."""
        self.house.traffic.received += len(data)
        if self.closing:
            return
        if not self.asking and not self.unfinished:
            request = plain_request(data, self.client, self.house.limits.headers)
            if request is not None and len(request.body) <= self.house.limits.body:
                self._take(request, keep=True)
                return
        # What the parser has not told of yet, it keeps: a header may never end.
        self.unfinished += len(data)
        try:
            self.parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            self._refuse(400)
        if self.unfinished > self.house.limits.headers:
            self._refuse(431)

    def eof_received(self) -> bool:
        """The client asks no more; whether it still waits for answers."""
        self.closing = True
        self.deadline.clear()
        return self.worker is not None

    def pause_writing(self) -> None:
        """The client does not read what it asked for: it is answered no further for now."""
        self.read_by_client.clear()

    def resume_writing(self) -> None:
        """The client reads again."""
        self.read_by_client.set()

    def connection_lost(self, exc: Exception | None) -> None:
        """The client is gone."""
        self.closing = True
        self.deadline.end()
        self.read_by_client.set()
        self.house.connections.discard(self)
        self.house.traffic.connections -= 1

    # The parser calls these.

    def on_message_begin(self) -> None:
        """A request begins."""
        self._begin()
        self.asking = True
        self.deadline.set(self.house.limits.request)

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
        self.unfinished = 0
        length = self.headers.get("content-length", "")
        if self.parser.should_upgrade():
            self._refuse(400)
        elif length.isdigit() and int(length) > self.house.limits.body:
            self._refuse(413)
        elif self.headers.get("expect", "").lower() == "100-continue":
            self._write(CONTINUE)

    def on_body(self, body: bytes) -> None:
        """A piece of the body."""
        self.unfinished = 0
        if len(self.body) + len(body) > self.house.limits.body:
            self._refuse(413)
        else:
            self.body += body

    def on_message_complete(self) -> None:
        """The request has arrived in full."""
        self.unfinished = 0
        self.asking = False
        if self.closing:
            return
        request = HttpRequest(
            self.parser.get_method().decode("latin-1"),
            self.target.decode("latin-1"),
            self.headers,
            bytes(self.body),
            self.client,
        )
        self._take(request, keep=self.parser.should_keep_alive())

    # The rest is our own.

    def _take(self, request: HttpRequest, *, keep: bool) -> None:
        """Have a request answered when it is its turn."""
        self.deadline.clear()
        self.requests.append((request, keep))
        if self.worker is not None:
            if len(self.requests) >= self.house.limits.waiting and self.transport is not None:
                self.transport.pause_reading()
        elif self.house.at_once:
            self.worker = begin(self._work())
        else:
            self.worker = asyncio.get_running_loop().create_task(self._work())

    async def _work(self) -> None:
        """Answer what has been asked, one after the other, in order."""
        while self.requests and self.transport and not self.transport.is_closing():
            request, keep = self.requests.popleft()
            self.transport.resume_reading()
            response = await self._answer(request)
            keep = keep and not (self.house.stopping and not self.requests)
            body = b"" if request.method == "HEAD" else response.body
            self._write(head_of(response, keep) + body)
            if not keep:
                self.requests.clear()
                self.closing = True
            elif not self.read_by_client.is_set():
                await self._wait_for_reader()
        self.worker = None
        if self.closing:
            self._hang_up()
        else:
            self.deadline.set(self.house.limits.idle)

    async def _answer(self, request: HttpRequest) -> HttpResponse:
        try:
            return await self.house.app.answer(request)
        except Exception:
            # A fault of ours; whoever asked is told so, rather than left to wait.
            _logger.exception("A request could not be answered")
            return HttpResponse(500)

    async def _wait_for_reader(self) -> None:
        self.deadline.set(self.house.limits.idle)
        await self.read_by_client.wait()
        self.deadline.clear()

    def stop(self) -> None:
        """Take no more requests; close once those that have arrived are answered."""
        self.closing = True
        if self.worker is None:
            self._hang_up()

    def abort(self) -> None:
        """Hang up at once."""
        if self.transport is not None:
            self.transport.abort()

    def _write(self, data: bytes) -> None:
        if self.transport is not None:
            self.house.traffic.sent += len(data)
            self.transport.write(data)

    def _begin(self) -> None:
        self.unfinished = 0
        self.target = b""
        self.headers: dict[str, str] = {}
        self.body = bytearray()
        self.head_size = 0

    def _count(self, size: int) -> None:
        self.unfinished = 0
        self.head_size += size
        if self.head_size > self.house.limits.headers:
            self._refuse(431)

    def _refuse(self, status: int) -> None:
        """Read no further; say why in a word once what came before is answered, and hang up."""
        if self.closing:
            return
        self.closing = True
        self.refusal = status
        if self.worker is None:
            self._hang_up()

    def _hang_up(self) -> None:
        if self.transport is None or self.transport.is_closing():
            return
        if self.refusal is not None and not self.hung_up:
            self._write(head_of(HttpResponse(self.refusal), keep=False))
            if self.house.observer is not None:
                self.house.observer.refused(self.client, self.refusal)
        if self.refusal in _WHILE_SENDING and not self.hung_up:
            self.hung_up = True
            self.transport.write_eof()
            self.deadline.set(min(_LINGER, self.house.limits.idle))
        else:
            self.transport.close()
            self.deadline.set(self.house.limits.idle)

    def _run_out_of_time(self) -> None:
        """Hang up on a client that sent too little, or read too little, for too long."""
        if self.closing or (self.transport and self.transport.get_write_buffer_size()):
            self.abort()
        elif self.asking:
            self._refuse(408)
        else:
            # Who keeps a connection for later would take a word now for the answer it gets then.
            self.stop()
