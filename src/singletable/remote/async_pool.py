"""Connections that are kept and used again, by many tasks of one event loop."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress

from singletable.remote.address import Asked
from singletable.remote.async_line import AsyncLine, open_line
from singletable.remote.chain import Found
from singletable.remote.pool import closed, crowded


class AsyncPool:
    """At most so many connections; a task that finds none free waits for one."""

    def __init__(self, found: Found, asked: Asked) -> None:
        self._found = found
        self._asked = asked
        self._closed = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._kept: list[AsyncLine] = []
        self._free = asyncio.Semaphore(asked.connections)

    async def take(self, *, fresh: bool = False) -> AsyncLine:
        """A connection for one task; the one used last, for the others may end meanwhile."""
        self._be_here()
        if self._free.locked():
            await self._wait()
        else:
            await self._free.acquire()
        try:
            if self._closed:
                raise closed()
            line = self._kept_line(fresh=fresh)
            return line or await open_line(self._found, self._asked.connect_timeout)
        except BaseException:
            self._free.release()
            raise

    def give(self, line: AsyncLine, *, keep: bool) -> None:
        """Take a connection back, for others to use if it can be kept."""
        if keep and not self._closed and not line.ended:
            line.keep()
            self._kept.append(line)
        else:
            line.close()
        self._free.release()

    def close(self) -> None:
        """Hang up; what is under way ends by itself. Closing twice is fine."""
        self._closed = True
        self._forget()

    async def _wait(self) -> None:
        try:
            async with asyncio.timeout(self._asked.timeout):
                await self._free.acquire()
        except TimeoutError:
            raise crowded(self._asked) from None

    def _be_here(self) -> None:
        """Begin anew on another event loop: connections belong to the one they were made on."""
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            self._forget()
            self._loop = loop
            self._free = asyncio.Semaphore(self._asked.connections)

    def _forget(self) -> None:
        while self._kept:
            with suppress(RuntimeError):  # its event loop has ended before it
                self._kept.pop().close()

    def _kept_line(self, *, fresh: bool) -> AsyncLine | None:
        while self._kept:
            line = self._kept.pop()
            if not fresh and line.is_fresh(time.monotonic()):
                return line
            line.close()
        return None
