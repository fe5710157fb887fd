"""Connections that are kept and used again, by many threads."""

from __future__ import annotations

import os
import threading
import time
from collections import deque

from singletable.errors import ConnectionFailed, EngineClosed
from singletable.remote.address import Asked
from singletable.remote.chain import Found
from singletable.remote.line import Line


class Pool:
    """At most so many connections; a thread that finds none free waits for one."""

    def __init__(self, found: Found, asked: Asked) -> None:
        self._found = found
        self._asked = asked
        self._closed = False
        self._begin()

    def take(self, *, fresh: bool = False) -> Line:
        """A connection for one thread; the one used last, for the others may end meanwhile."""
        if self._process != os.getpid():
            self._begin()  # this is a fork: what the parent keeps is not ours to speak on
        if not self._free.acquire(timeout=self._asked.timeout):
            raise crowded(self._asked)
        try:
            if self._closed:
                raise closed()
            return self._kept_line(fresh=fresh) or Line(self._found, self._asked.connect_timeout)
        except BaseException:
            self._free.release()
            raise

    def give(self, line: Line, *, keep: bool) -> None:
        """Take a connection back, for others to use if it can be kept."""
        if keep and not self._closed:
            line.keep()
            self._kept.append(line)
        else:
            line.close()
        self._free.release()

    def close(self) -> None:
        """Hang up; what is under way ends by itself. Closing twice is fine."""
        self._closed = True
        while (line := self._last()) is not None:
            line.close()

    def _begin(self) -> None:
        self._process = os.getpid()
        self._kept: deque[Line] = deque()
        self._free = threading.Semaphore(self._asked.connections)

    def _kept_line(self, *, fresh: bool) -> Line | None:
        while (line := self._last()) is not None:
            if not fresh and line.is_fresh(time.monotonic()):
                return line
            line.close()
        return None

    def _last(self) -> Line | None:
        try:
            return self._kept.pop()
        except IndexError:  # another thread was quicker, or there is none
            return None


def crowded(asked: Asked) -> ConnectionFailed:
    """What is told to who found no connection free."""
    return ConnectionFailed(
        f"All {asked.connections} connections are in use, and none became free within "
        f"{asked.timeout:g} s. Allow more with the option 'connections' of the address."
    )


def closed() -> EngineClosed:
    """What is told to who asks a driver that was closed."""
    return EngineClosed("The driver is closed. Open another with connect().")
