"""The WebSocket protocol of uvicorn, with what measurements show that rooms need of it.

This is the only module that extends a class which uvicorn does not document, so `pyproject.toml`
limits its version. Measured in November 2026, with uvicorn 0.54 and uvloop on two cores:

- Frames that are encoded once, for all sockets: a message to 4,000 sockets takes 10 to 11 µs of CPU
  time for each, and 16 to 19 µs by `send`, which encodes it each time (`make bench ONLY=rooms`).
- The limit of frames: 3 MB of empty pings or pongs, half a million, take 1.8 to 3 s of the event
  loop, in which nobody else is served; with the limit, the client is gone after 5 ms.
- The end of connections that are not read: with a full buffer, neither a close frame nor a ping
  gets through, and closing waits for the buffer. It was open after 120 s; now it ends after 20.

Not here, for the same reason: parsing a burst in turns, a few sockets at a time. Of 800 messages at
once, the first was answered after 5 ms of CPU time instead of 20, but the median stayed at 45 ms,
and the last one took 90 instead of 70.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame
from websockets.http11 import Request
from websockets.protocol import State

# Writes a frame and returns True, or returns False if the connection is busy or closing.
FrameWriter: TypeAlias = Callable[[bytes], bool]
_EXTENSION = "singletable.write_frame"
_PARSED_AT_ONCE = 4 << 10


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


class WebSocketProtocol(WebSocketsSansIOProtocol):
    """A WebSocket with the ASGI extension `singletable.write_frame`.

    It is aborted if its peer reads nothing for some seconds, or sends too many frames.
    """

    stall_seconds = 20.0
    # Frames of any kind. A flood of tiny messages arrives faster than the app can read them.
    frames_per_second = 200
    _stalled: asyncio.TimerHandle | None = None
    _frames = 0
    _frames_since = 0.0

    def handle_connect(self, event: Request) -> None:
        """Accept the handshake, and offer the extension unless frames are compressed."""
        super().handle_connect(event)
        if not self.close_sent and not self.config.ws_per_message_deflate:
            extensions: dict[str, Any] = {**(self.scope["extensions"] or {})}
            self.scope["extensions"] = {**extensions, _EXTENSION: {"write": self.write_frame}}

    def data_received(self, data: bytes) -> None:
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
        self._stop_waiting()
        super().connection_lost(exc)

    def _stop_waiting(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None
