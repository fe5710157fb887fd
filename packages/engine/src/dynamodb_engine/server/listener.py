"""Listen on a socket, with or without TLS, and run an endpoint until a signal stops it."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import ssl
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from dynamodb_engine.errors import AddressError, EngineError
from dynamodb_engine.operations import AsyncDriver, SweepExpired
from dynamodb_engine.server.connection import Connection, Limits, RequestHandler, ServerState
from dynamodb_engine.server.observe import Observer

SWEEP_INTERVAL = 1.0
HANDSHAKE_TIMEOUT = 10.0  # seconds
BACKLOG = 1024
_logger = logging.getLogger(__name__)


class Listener(ServerState):
    """An HTTP/1.1 server on one socket. See `ServerState` for `eager`."""

    def __init__(
        self,
        app: RequestHandler,
        limits: Limits | None = None,
        observer: Observer | None = None,
        *,
        eager: bool = False,
    ) -> None:
        super().__init__(app, limits or Limits(), observer, eager=eager)
        self._server: asyncio.Server | None = None
        self._accepting: asyncio.Task[None] | None = None
        self.handshakes: set[asyncio.Task[None]] = set()

    async def start(
        self, host: str, port: int, tls: ssl.SSLContext | None = None
    ) -> tuple[str, int]:
        """Listen, and return host and port; port 0 becomes a free one."""
        loop = asyncio.get_running_loop()
        if tls is not None:
            family, *_ = (await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM))[0]
            listening = socket.create_server((host, port), family=family, backlog=BACKLOG)
            listening.setblocking(False)
            address = listening.getsockname()
            self._accepting = loop.create_task(self._accept(listening, tls))
        else:
            self._server = await loop.create_server(
                lambda: Connection(self), host, port, backlog=BACKLOG
            )
            address = self._server.sockets[0].getsockname()
        return address[0], address[1]

    async def _accept(self, listening: socket.socket, tls: ssl.SSLContext) -> None:
        """Accept connections and start TLS.

        `create_server` would start any number of handshakes, each with buffers of 256 KB, before
        the endpoint knows of the connection. Here they count as connections.
        """
        loop = asyncio.get_running_loop()
        with listening:
            while True:
                try:
                    client, _ = await loop.sock_accept(listening)
                except OSError as error:
                    # Too many open files, for example: others may be closed soon.
                    _logger.warning("A connection could not be accepted: %s", error)
                    await asyncio.sleep(1)
                    continue
                if len(self.connections) + len(self.handshakes) >= self.limits.max_connections:
                    client.close()
                    continue
                handshake = loop.create_task(self._start_tls(client, tls))
                self.handshakes.add(handshake)
                handshake.add_done_callback(self.handshakes.discard)

    async def _start_tls(self, client: socket.socket, tls: ssl.SSLContext) -> None:
        with suppress(OSError):  # the client disconnected, took too long, or does not speak TLS
            await asyncio.get_running_loop().connect_accepted_socket(
                lambda: Connection(self),
                client,
                ssl=tls,
                ssl_handshake_timeout=HANDSHAKE_TIMEOUT,
            )

    async def stop(self, timeout: float = 10) -> None:
        """Stop gracefully: respond to the requests that have arrived, then close.

        Connections that are still open after `timeout` seconds are aborted.
        """
        self.stopping = True
        if self._server is not None:
            self._server.close()
        for task in (self._accepting, *self.handshakes):
            if task is not None:
                task.cancel()
        for connection in list(self.connections):
            connection.stop()
        end = asyncio.get_running_loop().time() + timeout
        while self.connections and asyncio.get_running_loop().time() < end:
            await asyncio.sleep(0.01)
        for connection in list(self.connections):
            connection.abort()


def load_tls(certificate: Path, key: Path) -> ssl.SSLContext:
    """Return a context for TLS 1.2 and newer, or raise AddressError if a file is invalid.

    Both files are PEM; the certificate file may contain the rest of the chain.
    """

    def refuse_password() -> NoReturn:
        raise AddressError(
            f"The TLS key in {key} is encrypted, and the endpoint cannot ask for a password. Store "
            "it decrypted, in a file that only its owner can read."
        )

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    for path in (certificate, key):
        try:
            path.open("rb").close()
        except OSError as error:
            raise AddressError(f"Cannot read {path} for TLS: {error.strerror}.") from None
    try:
        context.load_cert_chain(certificate, key, refuse_password)
    except ssl.SSLError as error:
        if error.reason == "KEY_VALUES_MISMATCH":
            problem = f"{key} is not the key of the certificate in {certificate}"
        else:
            problem = f"expected a certificate in {certificate} and its key in {key}, both as PEM"
        raise AddressError(f"Cannot serve TLS: {problem}.") from None
    return context


async def run_until_stopped(
    app: RequestHandler,
    driver: AsyncDriver,
    *,
    host: str,
    port: int,
    limits: Limits | None = None,
    observer: Observer | None = None,
    eager: bool = False,
    tls: ssl.SSLContext | None = None,
    on_start: Callable[[str, int], None],
) -> None:
    """Serve and delete expired items until SIGINT or SIGTERM; then stop gracefully."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(name, stop.set)
    listener = Listener(app, limits, observer, eager=eager)
    try:
        address = await listener.start(host, port, tls)
    except OSError as error:
        reason = str(error.strerror).rpartition(": ")[2]  # asyncio prefixes it with the address
        raise AddressError(
            f"Cannot listen on {host}:{port}: {reason}. Choose another port with --port; "
            "0 picks a free one."
        ) from error
    on_start(*address)
    sweeping = asyncio.create_task(_sweep(driver))
    await stop.wait()
    await listener.stop()
    sweeping.cancel()
    await asyncio.wait([sweeping])


async def _sweep(driver: AsyncDriver) -> None:
    """Delete expired items forever, a batch at a time."""
    while True:
        more = False
        try:
            more = (await driver.execute(SweepExpired())).more
        except EngineError as error:
            # A full disk, for example, may have room again later: expired items stay until then.
            _logger.warning("Expired items could not be deleted: %s", error)
        await asyncio.sleep(0 if more else SWEEP_INTERVAL)
