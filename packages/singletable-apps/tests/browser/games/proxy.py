"""A TCP proxy in front of servers, as a load balancer is."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Generator
from urllib.parse import urlsplit


class Proxy:
    """Forwards connections to one server at a time."""

    def __init__(self, target: str) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._target = target
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def fail_over(self, target: str) -> None:
        """Break all connections silently, and forward new ones to another server."""
        self._target = target
        self.cut()

    def cut(self) -> None:
        """Break all connections."""
        for each in self._open:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        self._open.clear()

    def close(self) -> None:
        """Stop to listen."""
        # Closing alone does not wake the thread that accepts.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                target = urlsplit(self._target)
                server = socket.create_connection((target.hostname, target.port))
                self._open += [client, server]
                for source, sink in ((client, server), (server, client)):
                    threading.Thread(target=_pump, args=(source, sink), daemon=True).start()


def _pump(source: socket.socket, sink: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(1 << 16):
            sink.sendall(data)
    with contextlib.suppress(OSError):
        sink.shutdown(socket.SHUT_WR)


@contextlib.contextmanager
def forward(target: str) -> Generator[Proxy]:
    """Yield a proxy in front of a server."""
    proxy = Proxy(target)
    try:
        yield proxy
    finally:
        proxy.close()
