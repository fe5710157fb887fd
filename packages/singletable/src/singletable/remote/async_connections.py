"""HTTP connections for asyncio, and a connection pool that tasks share."""

from __future__ import annotations

import asyncio
import ssl
import time
from contextlib import suppress
from typing import Any, cast

from dynamodb_engine.cancellation import WriteFuture, explain
from dynamodb_engine.operations import Operation
from singletable.errors import SingleTableError
from singletable.remote.address import ConnectionOptions
from singletable.remote.config import Proxy, RemoteEndpoint, ResolvedConfig
from singletable.remote.connections import MAX_IDLE_SECONDS
from singletable.remote.errors import (
    ConnectionLost,
    broken_connection,
    cannot_connect,
    check_tunnel,
    driver_closed,
    invalid_http,
    no_response,
    pool_exhausted,
    response_timeout,
)
from singletable.remote.http import InvalidHttp, Response, ResponseParser, connect_request
from singletable.remote.outputs import decode_response


class AsyncHttpConnection(asyncio.Protocol):
    """An HTTP connection, used by one task at a time."""

    def __init__(self) -> None:
        self._parser = ResponseParser()
        self._waiter: asyncio.Future[Response] | None = None
        self._last: WriteFuture[Response] | None = None  # of the last request, if it is a write
        self._transport: asyncio.Transport | None = None
        self._last_used = 0.0
        self.closed = False
        self.reused = False

    async def send(self, request: bytes, timeout: float, *, finish: bool) -> Response:
        """Send a request and return the response, or raise ConnectionLost.

        With `finish`, a canceled task waits for the response; then `explain` says what it means.
        """
        if self.closed or self._transport is None:
            raise ConnectionLost("the connection broke", arrived=False)
        loop = asyncio.get_running_loop()
        self._parser.reset()
        self._waiter = WriteFuture(loop=loop) if finish else loop.create_future()
        self._last = self._waiter if isinstance(self._waiter, WriteFuture) else None
        self._transport.write(request)
        timer = loop.call_later(timeout, self._time_out, timeout)
        try:
            return await self._waiter
        finally:
            timer.cancel()
            self._waiter = None

    def explain(
        self,
        canceled: asyncio.CancelledError,
        endpoint: RemoteEndpoint,
        operation: Operation[Any],
    ) -> None:
        """Make the response its cause if it leaves open whether a write was applied."""
        if self._last is None:
            return
        try:
            decode_response(endpoint, operation, self._last.result())
        except ConnectionLost as lost:
            explain(canceled, no_response(endpoint, operation, lost))
        except SingleTableError as error:
            explain(canceled, error)

    def is_usable(self, now: float) -> bool:
        """Return whether the connection can be reused."""
        return now - self._last_used < MAX_IDLE_SECONDS and not self.closed

    def mark_idle(self) -> None:
        """Record when the connection became idle."""
        self.reused = True
        self._last_used = time.monotonic()

    def close(self) -> None:
        """Close the connection immediately and discard unread data."""
        self.closed = True
        if self._transport is not None:
            self._transport.abort()

    def _time_out(self, timeout: float) -> None:
        self._fail(response_timeout(timeout, started=self._parser.started))

    def _fail(self, lost: ConnectionLost) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_exception(lost)

    def _resolve(self, response: Response | None) -> None:
        if response is not None and self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(response)

    # Callbacks of the event loop

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Store the transport."""
        self._transport = cast(asyncio.Transport, transport)  # stream protocols get a Transport

    def data_received(self, data: bytes) -> None:
        """Parse data, and pass the complete response to the waiting task."""
        if self._waiter is None:
            self.close()  # no request is in flight, so this data is unexpected
            return
        try:
            self._resolve(self._parser.feed(data))
        except InvalidHttp as error:
            self._fail(invalid_http(error))

    def connection_lost(self, exc: Exception | None) -> None:
        """Fail the waiting task, unless the response ends with the connection."""
        self.closed = True
        self._resolve(self._parser.finish())
        reason = "it was closed" if exc is None else exc
        self._fail(broken_connection(reason, started=self._parser.started))


class _Tunnel(asyncio.Protocol):
    """Wait for a proxy to open a tunnel."""

    def __init__(self) -> None:
        self._parser = ResponseParser()
        self.status: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def data_received(self, data: bytes) -> None:
        """Set the status once the response headers are complete."""
        try:
            status = self._parser.feed_connect(data)
        except InvalidHttp as error:
            self._fail(ConnectionError(str(error)))
        else:
            if status is not None and not self.status.done():
                self.status.set_result(status)

    def connection_lost(self, exc: Exception | None) -> None:
        """Fail the waiting task."""
        self._fail(exc or ConnectionResetError("it was closed"))

    def _fail(self, error: Exception) -> None:
        if not self.status.done():
            self.status.set_exception(error)


async def _open_connection(config: ResolvedConfig, timeout: float) -> AsyncHttpConnection:
    try:
        async with asyncio.timeout(timeout):
            if config.proxy is not None and config.tls is not None:
                return await _open_tunnel(config, config.proxy, config.tls)
            target = config.proxy or config.endpoint
            name = None if config.tls is None else config.endpoint.host
            _, connection = await asyncio.get_running_loop().create_connection(
                AsyncHttpConnection, target.host, target.port, ssl=config.tls, server_hostname=name
            )
            return connection
    except (OSError, UnicodeError, InvalidHttp) as error:
        raise cannot_connect(config, error) from error


async def _open_tunnel(
    config: ResolvedConfig, proxy: Proxy, tls: ssl.SSLContext
) -> AsyncHttpConnection:
    loop = asyncio.get_running_loop()
    endpoint = config.endpoint
    transport, tunnel = await loop.create_connection(_Tunnel, proxy.host, proxy.port)
    try:
        transport.write(connect_request(endpoint, proxy))
        check_tunnel(await tunnel.status, config, proxy)
        connection = AsyncHttpConnection()
        encrypted = await loop.start_tls(transport, connection, tls, server_hostname=endpoint.host)
        if encrypted is None:
            raise ConnectionResetError("it was closed")
    except BaseException:
        transport.abort()
        raise
    connection.connection_made(encrypted)
    return connection


class AsyncConnectionPool:
    """A connection pool with a maximum size. A task waits until a connection is free."""

    def __init__(self, config: ResolvedConfig, options: ConnectionOptions) -> None:
        self._config = config
        self._options = options
        self._closed = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._idle: list[AsyncHttpConnection] = []
        self._free = asyncio.Semaphore(options.connections)

    async def acquire(self, *, new: bool = False) -> AsyncHttpConnection:
        """Return the most recently used idle connection, or a new one."""
        self._adopt_loop()
        if self._free.locked():
            await self._wait()
        else:
            await self._free.acquire()
        try:
            if self._closed:
                raise driver_closed()
            connection = self._pop_usable(new=new)
            return connection or await _open_connection(self._config, self._options.connect_timeout)
        except BaseException:
            self._free.release()
            raise

    def release(self, connection: AsyncHttpConnection, *, keep: bool) -> None:
        """Return a connection to the pool: `keep` it for other tasks, or close it."""
        if keep and not self._closed and not connection.closed:
            connection.mark_idle()
            self._idle.append(connection)
        else:
            connection.close()
        self._free.release()

    def close(self) -> None:
        """Close idle connections; requests in flight finish. Closing twice is fine."""
        self._closed = True
        self._close_idle()

    async def _wait(self) -> None:
        try:
            async with asyncio.timeout(self._options.timeout):
                await self._free.acquire()
        except TimeoutError:
            raise pool_exhausted(self._options) from None

    def _adopt_loop(self) -> None:
        """Drop connections that another event loop opened: they work only on that loop."""
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            self._close_idle()
            self._loop = loop
            self._free = asyncio.Semaphore(self._options.connections)

    def _close_idle(self) -> None:
        while self._idle:
            with suppress(RuntimeError):  # its event loop is closed already
                self._idle.pop().close()

    def _pop_usable(self, *, new: bool) -> AsyncHttpConnection | None:
        while self._idle:
            connection = self._idle.pop()
            if not new and connection.is_usable(time.monotonic()):
                return connection
            connection.close()
        return None
