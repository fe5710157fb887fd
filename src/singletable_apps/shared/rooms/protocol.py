"""The WebSocket protocol of uvicorn, which also writes frames that are encoded already.

ASGI encodes a message for each connection, and does not say how much waits to be written. Two
additions make a broadcast twice as fast, and let nobody hold a connection without reading.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request
from websockets.protocol import State

# Writes a frame and returns True, or returns False if the connection is busy or closing.
FrameWriter: TypeAlias = Callable[[bytes], bool]
_EXTENSION = "singletable.write_frame"


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

    It is aborted if its peer reads nothing for some seconds. Otherwise, a connection whose buffer
    is full stays open until TCP gives up, or forever: neither a close frame nor a ping gets
    through, and closing waits for the buffer.
    """

    stall_seconds = 20.0
    _stalled: asyncio.TimerHandle | None = None

    def handle_connect(self, event: Request) -> None:
        """Accept the handshake, and offer the extension unless frames are compressed."""
        super().handle_connect(event)
        if not self.close_sent and not self.config.ws_per_message_deflate:
            extensions: dict[str, Any] = {**(self.scope["extensions"] or {})}
            self.scope["extensions"] = {**extensions, _EXTENSION: {"write": self.write_frame}}

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
