"""A server that sends scripted responses, byte for byte, and records the requests."""

from __future__ import annotations

import socket
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from zlib import crc32

CLOSE = b""  # close the connection
HANG = None  # send nothing until the client gives up


def response(body: bytes, status: int = 200, *headers: str) -> bytes:
    """Return a response as DynamoDB sends it."""
    lines = [
        f"HTTP/1.1 {status} OK",
        "Content-Type: application/x-amz-json-1.0",
        "x-amzn-RequestId: R1",
        f"x-amz-crc32: {crc32(body)}",
        f"Content-Length: {len(body)}",
        *headers,
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


class ScriptedServer:
    """A server on a free port; each request gets the next response of the script."""

    def __init__(self, script: Sequence[Sequence[bytes | None]]) -> None:
        self._script = list(script)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._lock = threading.Lock()
        self._open: list[socket.socket] = []
        self.port: int = self._listener.getsockname()[1]
        self.requests: list[bytes] = []
        self.connections = 0
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def address(self) -> str:
        """The address for a driver."""
        return f"dynamodb+http://127.0.0.1:{self.port}"

    def close(self) -> None:
        """Stop the server."""
        with suppress(OSError):  # wakes the thread in accept()
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in self._open:
            connection.close()

    def _accept(self) -> None:
        with suppress(OSError):  # closed
            while True:
                connection, _ = self._listener.accept()
                self.connections += 1
                self._open.append(connection)
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with suppress(OSError):
            while (request := read_request(connection)) is not None:
                with self._lock:
                    self.requests.append(request)
                    parts = self._script.pop(0) if self._script else [CLOSE]
                for part in parts:
                    if part is None:
                        return
                    if not part:
                        connection.close()
                        return
                    connection.sendall(part)


def read_request(connection: socket.socket) -> bytes | None:
    """Return the bytes of a request, or None if the client closed the connection."""
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
def start_server(*script: Sequence[bytes | None]) -> Generator[ScriptedServer]:
    """Run a server with a script."""
    server = ScriptedServer(script)
    try:
        yield server
    finally:
        server.close()
