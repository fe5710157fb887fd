"""A server that answers with what it was told to, byte for byte, and notes what it was asked."""

from __future__ import annotations

import socket
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from zlib import crc32

END = b""  # hang up
HANG = None  # say nothing, for as long as the client waits


def response(body: bytes, status: int = 200, *headers: str) -> bytes:
    """A response as DynamoDB sends it."""
    lines = [
        f"HTTP/1.1 {status} OK",
        "Content-Type: application/x-amz-json-1.0",
        "x-amzn-RequestId: R1",
        f"x-amz-crc32: {crc32(body)}",
        f"Content-Length: {len(body)}",
        *headers,
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


class Scripted:
    """A server on a free port; each request is answered with the next of its script."""

    def __init__(self, script: Sequence[Sequence[bytes | None]]) -> None:
        self._script = list(script)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._lock = threading.Lock()
        self._open: list[socket.socket] = []
        self.port: int = self._listening.getsockname()[1]
        self.requests: list[bytes] = []
        self.connections = 0
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def address(self) -> str:
        """Where a driver finds it."""
        return f"dynamodb+http://127.0.0.1:{self.port}"

    def close(self) -> None:
        """End."""
        with suppress(OSError):  # who waits for a connection is woken
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        for one in self._open:
            one.close()

    def _accept(self) -> None:
        with suppress(OSError):  # the end of the test
            while True:
                connection, _ = self._listening.accept()
                self.connections += 1
                self._open.append(connection)
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with suppress(OSError):
            while (request := read_request(connection)) is not None:
                with self._lock:
                    self.requests.append(request)
                    answer = self._script.pop(0) if self._script else [END]
                for part in answer:
                    if part is None:
                        return
                    if not part:
                        connection.close()
                        return
                    connection.sendall(part)


def read_request(connection: socket.socket) -> bytes | None:
    """One request as it came, or None if the client has hung up."""
    data = b""
    while b"\r\n\r\n" not in data:
        part = connection.recv(65536)
        if not part:
            return None
        data += part
    head, _, body = data.partition(b"\r\n\r\n")
    fields = dict(line.split(": ", 1) for line in head.decode().lower().split("\r\n")[1:])
    while len(body) < int(fields.get("content-length", 0)):
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body


@contextmanager
def scripted(*script: Sequence[bytes | None]) -> Generator[Scripted]:
    """A server with its script."""
    server = Scripted(script)
    try:
        yield server
    finally:
        server.close()
