"""A connection on an event loop: a request goes out, an answer comes back."""

from __future__ import annotations

import asyncio
import ssl
import time
from typing import cast

from singletable.remote.chain import Found
from singletable.remote.failures import Lost, not_connected
from singletable.remote.line import KEPT_FOR, check_tunnel
from singletable.remote.proxy import Proxy, connect_request
from singletable.remote.response import Answer, NotHttp, Responses


class AsyncLine(asyncio.Protocol):
    """One connection, used by one task at a time."""

    def __init__(self) -> None:
        self._responses = Responses()
        self._waiting: asyncio.Future[Answer] | None = None
        self._transport: asyncio.Transport | None = None
        self.ended = False
        self.kept = False
        self.since = 0.0

    async def exchange(self, request: bytes, timeout: float) -> Answer:
        """The answer to a request; Lost if there is none."""
        if self.ended or self._transport is None:
            raise Lost("the connection broke", arrived=False)
        loop = asyncio.get_running_loop()
        self._responses.begin()
        self._waiting = loop.create_future()
        self._transport.write(request)
        timer = loop.call_later(timeout, self._late, timeout)
        try:
            return await self._waiting
        finally:
            timer.cancel()
            self._waiting = None

    def is_fresh(self, now: float) -> bool:
        """Whether it may be used again."""
        return now - self.since < KEPT_FOR and not self.ended

    def keep(self) -> None:
        """Note that it was used, and is kept."""
        self.kept = True
        self.since = time.monotonic()

    def close(self) -> None:
        """Hang up at once: whatever may still come is for nobody."""
        self.ended = True
        if self._transport is not None:
            self._transport.abort()

    def _late(self, timeout: float) -> None:
        begun = self._responses.begun
        self._fail(Lost(f"none came within {timeout:g} s", arrived=True, begun=begun, late=True))

    def _fail(self, lost: Lost) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_exception(lost)

    def _give(self, answer: Answer | None) -> None:
        if answer is not None and self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(answer)

    # What the event loop calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Note where to write."""
        self._transport = cast(asyncio.Transport, transport)  # what a protocol for streams is given

    def data_received(self, data: bytes) -> None:
        """Give the answer to who waits for it, once it is here."""
        if self._waiting is None:
            self.close()  # nobody has asked for anything
            return
        try:
            self._give(self._responses.feed(data))
        except NotHttp as error:
            self._fail(Lost(f"what came is no HTTP ({error})", arrived=True, begun=True))

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell who waits for an answer, unless this is its end."""
        self.ended = True
        self._give(self._responses.end())
        why = "it was closed" if exc is None else str(exc)
        begun = self._responses.begun
        self._fail(Lost(f"the connection broke ({why})", arrived=True, begun=begun))


class _Tunnel(asyncio.Protocol):
    """Waits for a proxy to open a tunnel."""

    def __init__(self) -> None:
        self._responses = Responses()
        self.status: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def data_received(self, data: bytes) -> None:
        """Note the status, once the head is here."""
        try:
            status = self._responses.tunnel(data)
        except NotHttp as error:
            self._end(ConnectionError(str(error)))
        else:
            if status is not None and not self.status.done():
                self.status.set_result(status)

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell who waits."""
        self._end(exc or ConnectionResetError("it was closed"))

    def _end(self, error: Exception) -> None:
        if not self.status.done():
            self.status.set_exception(error)


async def open_line(found: Found, timeout: float) -> AsyncLine:
    """A new connection; ConnectionFailed if there is no way."""
    try:
        async with asyncio.timeout(timeout):
            return await _open(found)
    except (OSError, UnicodeError, NotHttp) as error:
        raise not_connected(found.place, found.proxy, error) from error


async def _open(found: Found) -> AsyncLine:
    loop = asyncio.get_running_loop()
    place, proxy, tls = found.place, found.proxy, found.tls
    if proxy is not None and tls is not None:
        return await _through(found, proxy, tls)
    there = (place.host, place.port) if proxy is None else (proxy.host, proxy.port)
    name = None if tls is None else place.host
    _, line = await loop.create_connection(AsyncLine, *there, ssl=tls, server_hostname=name)
    return line


async def _through(found: Found, proxy: Proxy, tls: ssl.SSLContext) -> AsyncLine:
    loop = asyncio.get_running_loop()
    transport, tunnel = await loop.create_connection(_Tunnel, proxy.host, proxy.port)
    try:
        transport.write(connect_request(found.place, proxy))
        check_tunnel(await tunnel.status, found, proxy)
        line = AsyncLine()
        encrypted = await loop.start_tls(transport, line, tls, server_hostname=found.place.host)
        if encrypted is None:
            raise ConnectionResetError("it was closed")
    except BaseException:
        transport.abort()
        raise
    line.connection_made(encrypted)
    return line
