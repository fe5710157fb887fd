"""Limit connections, so that slow or greedy clients cannot keep others out.

uvicorn only limits the time between requests. A client that sends a request byte by byte, or does
not read the response, could hold its connection forever.
"""

from __future__ import annotations

import asyncio
import resource
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from singletable_apps.shared.rooms.protocol import WebSocketProtocol
from singletable_apps.shared.web.clients import address_from_scope, client_network, is_in_network

LOOPBACK = ("127.0.0.0/8", "::1/128")
# File descriptors for files, tables and connections to other servers.
_OTHER_DESCRIPTORS = 100
_PART = 64 << 10
_TOO_MANY = (b"503 Service Unavailable", b"retry-after: 5\r\n")


class PipelineFull(Exception):
    """A client has sent too many requests ahead of their responses."""


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """Limits of a server's connections; times are in seconds.

    The head of a request must arrive within `head_seconds`, and its body within `body_seconds` plus
    the time to send it at `bytes_per_second`. Each part of a response, of 64 KiB,
    must be read within `stall_seconds`. A client with more than `pipelined` requests sent ahead of
    their responses is disconnected. WebSockets count toward `sockets_per_address` instead of
    `per_address`, because many phones may share one address.
    """

    head_seconds: float = 20
    head_bytes: int = 64 << 10
    body_seconds: float = 20
    bytes_per_second: int = 4000
    stall_seconds: float = 20
    pipelined: int = 16
    connections: int = 16_000
    per_address: int = 1000
    sockets_per_address: int = 4000


class ConnectionState(ServerState):
    """The connections of a server, counted by client network.

    Networks in `proxies` may open any number, because they carry many clients.
    """

    def __init__(self, limits: ConnectionLimits, proxies: Sequence[str] = LOOPBACK) -> None:
        super().__init__()
        self.limits = limits
        self._proxies = proxies
        descriptors = resource.getrlimit(resource.RLIMIT_NOFILE)[0] - _OTHER_DESCRIPTORS
        self._most = max(1, min(limits.connections, descriptors))
        # By network, and whether they are WebSockets.
        self._counts: Counter[tuple[str, bool]] = Counter()

    def add(self, address: str, *, is_socket: bool = False) -> bool:
        """Count a new connection; return False if there are too many."""
        key = (client_network(address), is_socket)
        self._counts[key] += 1
        limit = self.limits.sockets_per_address if is_socket else self.limits.per_address
        is_free = self._counts[key] <= limit or is_in_network(address, self._proxies)
        return is_free and len(self.connections) <= self._most

    def remove(self, address: str, *, is_socket: bool = False) -> None:
        """Stop counting a connection."""
        key = (client_network(address), is_socket)
        self._counts[key] -= 1
        if not self._counts[key]:
            del self._counts[key]

    def address_of(self, scope: Mapping[str, Any]) -> str:
        """Return the address of the client that sent a request, even through a proxy."""
        return address_from_scope(dict(scope), self._proxies)

    def drop_slow_connections(self, now: float) -> None:
        """Abort connections with slow clients. Call it about once per second."""
        for connection in list(self.connections):
            if isinstance(connection, HttpProtocol) and connection.is_slow(now):
                connection.transport.abort()


def send_in_parts(app: ASGIApp) -> ASGIApp:
    """Return the app with large bodies sent in parts, so that slow clients are seen to read."""

    async def respond(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_parts(message: Message) -> None:
            body: bytes = message.get("body", b"")
            for start in range(0, len(body) - _PART, _PART):
                await send({**message, "body": body[start : start + _PART], "more_body": True})
            rest = (len(body) - 1) // _PART * _PART
            await send({**message, "body": body[rest:]} if rest > 0 else message)

        await app(scope, receive, send_parts if scope["type"] == "http" else send)

    return respond


class HttpProtocol(HttpToolsProtocol):
    """uvicorn's HTTP/1.1 protocol, with limits and the time it has been waiting for its client."""

    server_state: ConnectionState
    _is_counted = False

    def __init__(
        self,
        config: Config,
        server_state: ConnectionState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._limits = server_state.limits
        # When the server began to wait for the rest of a request, or for a response to be read.
        self._receiving_since: float | None = None
        self._writing_since: float | None = None
        self._unanswered: list[RequestResponseCycle] = []
        self._await_head()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept the connection unless there are too many."""
        super().connection_made(transport)
        transport.set_write_buffer_limits(_PART)  # with TLS, it would be 512 KiB
        self._is_counted = True
        if not self.server_state.add(self._address):
            self._refuse(*_TOO_MANY)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop counting the connection."""
        self._uncount()
        self._drop_requests()
        super().connection_lost(exc)

    def handle_websocket_upgrade(self) -> None:
        """Switch to WebSockets unless there are too many."""
        self._uncount()
        self._drop_requests()
        state, address = self.server_state, self.server_state.address_of(self.scope)
        if not state.add(address, is_socket=True):
            state.remove(address, is_socket=True)
            self._refuse(*_TOO_MANY)
            return
        super().handle_websocket_upgrade()
        protocol = self.transport.get_protocol()
        assert isinstance(protocol, WebSocketProtocol)
        protocol.ended = partial(state.remove, address, is_socket=True)

    def shutdown(self) -> None:
        """Finish the request in progress, or end the connection.

        Do not wait for an idle TLS client, which may never answer the end of the connection.
        """
        super().shutdown()
        if self.transport.is_closing() and not self.transport.get_write_buffer_size():
            self.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Parse a part of a request, unless its head is too large."""
        if self.transport.is_closing():
            return
        if self._receiving_since is None and (not self.cycle or self.cycle.response_complete):
            self._await_head()  # empty lines before a request are part of its head
        if self._in_head:
            self._received += len(data)
        super().data_received(data)
        if self._in_head and self._received > self._limits.head_bytes:
            self._refuse(b"431 Request Header Fields Too Large")

    def on_message_begin(self) -> None:
        """Begin a request, or raise, which stops the parser, if too many await their responses."""
        if len(self.pipeline) >= self._limits.pipelined:
            raise PipelineFull
        super().on_message_begin()
        self._await_head()

    def on_headers_complete(self) -> None:
        """Start handling the request and waiting for its body."""
        self._receiving_since = self.loop.time()
        self._in_head = False
        self._received = 0
        super().on_headers_complete()
        if self.cycle:  # None if the first request is for a WebSocket
            self._unanswered = [
                each
                for each in self._unanswered
                if each is not self.cycle and not each.response_complete
            ]
            self._unanswered.append(self.cycle)

    def on_body(self, body: bytes) -> None:
        """Pass on a part of the body."""
        self._received += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """End the request."""
        self._receiving_since = None
        super().on_message_complete()

    def pause_writing(self) -> None:
        """Start waiting for the client to read."""
        self._writing_since = self.loop.time()
        super().pause_writing()

    def resume_writing(self) -> None:
        """Continue after the client has read."""
        self._writing_since = None
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:
        """Reject a malformed request, and drop the ones before it."""
        self._drop_requests()
        super().send_400_response(msg)

    def is_slow(self, now: float) -> bool:
        """Return whether the client has kept the server waiting too long."""
        limits = self._limits
        if self.transport.is_closing() and self._writing_since is None:
            self._writing_since = now  # it closes only when the client has read everything
        if self._writing_since is not None:
            return now - self._writing_since > limits.stall_seconds
        if self._receiving_since is None or self.flow.read_paused:
            return False
        waited = now - self._receiving_since
        if self._in_head:
            return waited > limits.head_seconds
        return waited > limits.body_seconds + self._received / limits.bytes_per_second

    @property
    def _address(self) -> str:
        return self.client[0] if self.client else ""

    def _await_head(self) -> None:
        self._receiving_since = self.loop.time()
        self._in_head = True
        self._received = 0

    def _uncount(self) -> None:
        if self._is_counted:
            self._is_counted = False
            self.server_state.remove(self._address)

    def _drop_requests(self) -> None:
        """Notify all handlers that the client is gone; uvicorn notifies only the last one."""
        for cycle in self._unanswered:
            if not cycle.response_complete:
                cycle.disconnected = True
                cycle.message_event.set()
        self._unanswered.clear()
        self.pipeline.clear()

    def _refuse(self, status: bytes, headers: bytes = b"") -> None:
        self._drop_requests()
        ending = b"content-length: 0\r\nconnection: close\r\n\r\n"
        self.transport.write(b"HTTP/1.1 " + status + b"\r\n" + headers + ending)
        self.transport.close()
