"""A WebSocket client that costs as little as possible: it does not decode what it receives."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Mapping
from typing import cast

from benchmarks.harness.measurement import WrongResult

_TEXT, _PING, _PONG = 1, 9, 10


class SocketClient(asyncio.Protocol):
    """One connection. Subclasses say what they do with a frame."""

    def __init__(self, path: str, headers: Mapping[str, str] | None = None) -> None:
        self._path = path
        self._headers = headers or {}
        self._transport: asyncio.Transport | None = None
        self._buffer = b""
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    @abstractmethod
    def frame_received(self, frame: bytes) -> None:
        """Take the payload of a frame."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send the handshake."""
        self._transport = cast(asyncio.Transport, transport)
        lines = [
            f"GET {self._path} HTTP/1.1",
            "Host: 127.0.0.1",
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            *(f"{name}: {value}" for name, value in self._headers.items()),
        ]
        self._transport.write("\r\n".join([*lines, "", ""]).encode())

    def data_received(self, data: bytes) -> None:
        """Read the response to the handshake, and then frames."""
        self._buffer += data
        if not self.opened.done():
            head, end, self._buffer = self._buffer.partition(b"\r\n\r\n")
            if not end:
                self._buffer = head
                return
            if b" 101 " not in head:
                self.opened.set_exception(WrongResult(head.decode("latin-1")))
                return
            self.opened.set_result(None)
        while len(self._buffer) > 10 or (len(self._buffer) > 1 and self._buffer[1] < 126):
            size, start = self._buffer[1], 2
            if size == 126:
                size, start = int.from_bytes(self._buffer[2:4]), 4
            elif size == 127:
                size, start = int.from_bytes(self._buffer[2:10]), 10
            if len(self._buffer) < start + size:
                return
            kind, frame = self._buffer[0] & 15, self._buffer[start : start + size]
            self._buffer = self._buffer[start + size :]
            if kind == _PING:
                self.send(frame, _PONG)
            else:
                self.frame_received(frame)

    def send(self, message: bytes, kind: int = _TEXT) -> None:
        """Send a short message, masked with zeros, so that it is readable."""
        assert self._transport is not None
        head = bytes([0x80 | kind, 0x80 | len(message), 0, 0, 0, 0])
        self._transport.write(head + message)

    def close(self) -> None:
        """Close the connection."""
        if self._transport is not None:
            self._transport.abort()
