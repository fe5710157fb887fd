"""A moment by which something must have happened; it is put off far more often than it is met."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from math import inf


class Deadline:
    """A moment, and what happens then.

    A timer that is too early is left to ring, and is then set to the moment that holds by now: so
    putting a moment off costs no timer.
    """

    __slots__ = ("_due", "_loop", "_reached", "_rings", "_timer")

    def __init__(self, reached: Callable[[], None]) -> None:
        self._reached = reached
        self._loop = asyncio.get_running_loop()
        self._due = inf
        self._rings = inf
        self._timer: asyncio.TimerHandle | None = None

    def set(self, seconds: float) -> None:
        """Let it be so many seconds from now."""
        self._due = self._loop.time() + seconds
        if self._due < self._rings:
            self._arm()

    def clear(self) -> None:
        """Let there be none."""
        self._due = inf

    def end(self) -> None:
        """Let there be none any more, nor a timer."""
        self._due = self._rings = inf
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _arm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._rings = self._due
        self._timer = self._loop.call_at(self._due, self._ring)

    def _ring(self) -> None:
        self._timer, self._rings = None, inf
        if self._due <= self._loop.time():
            self._due = inf
            self._reached()
        elif self._due < inf:
            self._arm()
