"""The WebSocket protocol of uvicorn, which also writes frames that are encoded already.

ASGI encodes a message for each connection, and does not say how much waits to be written. Two
additions make a broadcast twice as fast, and let nobody hold a connection without reading. A third
keeps the answers of a burst prompt: its messages are parsed a few at a time, in their order.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame
from websockets.http11 import Request
from websockets.protocol import State

# Writes a frame and returns True, or returns False if the connection is busy or closing.
FrameWriter: TypeAlias = Callable[[bytes], bool]
_EXTENSION = "singletable.write_frame"
_PARSED_AT_ONCE = 4 << 10
# Connections whose messages are parsed in one turn of the event loop, which takes a millisecond.
_PARSED_PER_TURN = 10


def frame_writer(scope: Mapping[str, Any]) -> FrameWriter | None:
    """Return the function of a connection that writes frames, or None on other servers."""
    extensions: Mapping[str, Mapping[str, FrameWriter]] = scope.get("extensions") or {}
    return extensions[_EXTENSION]["write"] if _EXTENSION in extensions else None


def encode_text_frame(text: str) -> bytes:
    """Return an unmasked frame with the whole text (RFC 6455, section 5.2)."""
    payload = text.encode()
    size = len(payload)
    if size < 126:
        return bytes((0x81, size)) + payload
    if size < 1 << 16:
        return b"\x81\x7e" + size.to_bytes(2, "big") + payload
    return b"\x81\x7f" + size.to_bytes(8, "big") + payload


class _Turns:
    """The connections of an event loop that wait until it is their turn to parse messages.

    An event loop reads from all sockets before it goes on with its other work. If messages come
    faster than they are answered, it would parse all of them before it answers the first ones.
    """

    def __init__(self) -> None:
        self._waiting: deque[WebSocketProtocol] = deque()
        self._parsed = 0

    def is_now(self, connection: WebSocketProtocol) -> bool:
        """Return whether it is the turn of a connection. Otherwise, it is called later."""
        if self._parsed == 0:
            connection.loop.call_soon(self._begin, connection.loop)
        if self._parsed == _PARSED_PER_TURN:
            self._waiting.append(connection)
            return False
        self._parsed += 1
        return True

    def _begin(self, loop: asyncio.AbstractEventLoop) -> None:
        self._parsed = min(len(self._waiting), _PARSED_PER_TURN)
        if self._parsed:
            loop.call_soon(self._begin, loop)
        for _ in range(self._parsed):
            self._waiting.popleft().parse_held()


_TURNS: WeakKeyDictionary[asyncio.AbstractEventLoop, _Turns] = WeakKeyDictionary()


class WebSocketProtocol(WebSocketsSansIOProtocol):
    """A WebSocket with the ASGI extension `singletable.write_frame`.

    It is aborted if its peer reads nothing for some seconds. Otherwise, a connection whose buffer
    is full stays open until TCP gives up, or forever: neither a close frame nor a ping gets
    through, and closing waits for the buffer.
    """

    stall_seconds = 20.0
    # Frames of any kind. A flood of tiny messages arrives faster than the app can read them.
    frames_per_second = 200
    # Called when the connection is lost.
    ended: Callable[[], object] | None = None
    _stalled: asyncio.TimerHandle | None = None
    _frames = 0
    _frames_since = 0.0
    # What was received, and waits to be parsed.
    _held = b""
    _turns: _Turns

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to serve a connection."""
        super().connection_made(transport)
        self._turns = _TURNS.setdefault(self.loop, _Turns())

    def handle_connect(self, event: Request) -> None:
        """Accept the handshake, and offer the extension unless frames are compressed."""
        super().handle_connect(event)
        if not self.close_sent and not self.config.ws_per_message_deflate:
            extensions: dict[str, Any] = {**(self.scope["extensions"] or {})}
            self.scope["extensions"] = {**extensions, _EXTENSION: {"write": self.write_frame}}

    def data_received(self, data: bytes) -> None:
        """Parse frames, or hold them until it is the turn of this connection.

        With TLS, a client that leaves ends the connection although reading is paused.
        """
        if self.scheme == "wss" or (not self._held and self._turns.is_now(self)):
            self._parse(data)
        elif not self.transport.is_closing():
            self._held += data
            self.transport.pause_reading()

    def parse_held(self) -> None:
        """Parse what was held, and read on unless a message waits for the app."""
        data, self._held = self._held, b""
        try:
            self._parse(data)
        except Exception:
            # The event loop does so for what it passes to `data_received`.
            self.transport.abort()
            raise
        if not self.read_paused and not self.transport.is_closing():
            self.transport.resume_reading()

    def _parse(self, data: bytes) -> None:
        """Parse frames in small parts, so that a flood of tiny ones is stopped early."""
        for start in range(0, len(data), _PARSED_AT_ONCE):
            if self.transport.is_closing():
                return
            super().data_received(data[start : start + _PARSED_AT_ONCE])

    def handle_ping(self) -> None:
        """Answer a ping, unless the client does not read the answers."""
        pong = b"".join(self.conn.data_to_send())
        if self._count_frame() and self.writable.is_set():
            self.transport.write(pong)

    def handle_pong(self, event: Frame) -> None:
        """Record that the client has answered a ping."""
        if self._count_frame():
            super().handle_pong(event)

    def handle_text(self, event: Frame) -> None:
        """Begin a text message, which may be complete."""
        if self._count_frame():
            super().handle_text(event)

    def handle_bytes(self, event: Frame) -> None:
        """Begin a binary message."""
        if self._count_frame():
            super().handle_bytes(event)

    def handle_cont(self, event: Frame) -> None:
        """Add a fragment to a message."""
        if self._count_frame():
            super().handle_cont(event)

    def _count_frame(self) -> bool:
        """Return whether to handle a frame. Abort the connection if there are too many."""
        now = self.loop.time()
        if now - self._frames_since >= 1:
            self._frames, self._frames_since = 0, now
        self._frames += 1
        if self._frames <= self.frames_per_second:
            return True
        while not self.queue.empty():  # the app would take a minute to read them
            self.queue.get_nowait()
        self.transport.abort()
        return False

    def write_frame(self, frame: bytes) -> bool:
        """Write a frame, unless the peer is slow or the connection is not open."""
        if self.conn.state is not State.OPEN or not self.writable.is_set():
            return False
        self.transport.write(frame)
        return True

    def pause_writing(self) -> None:
        """Begin to wait for the peer."""
        super().pause_writing()
        self._stalled = self.loop.call_later(self.stall_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Continue, because the peer has read."""
        self._stop_waiting()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """End the connection."""
        self._held = b""
        self._stop_waiting()
        if self.ended is not None:
            self.ended()
        super().connection_lost(exc)

    def _stop_waiting(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None
