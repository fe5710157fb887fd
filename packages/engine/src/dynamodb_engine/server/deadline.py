"""A timeout that is postponed far more often than it expires."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from math import inf


class Deadline:
    """Call `expired` when the deadline passes.

    Postponing the deadline does not touch the event loop's timer. A timer that fires too early is
    armed again for the current deadline.
    """

    __slots__ = ("_due", "_expired", "_fires_at", "_loop", "_timer")

    def __init__(self, expired: Callable[[], None]) -> None:
        self._expired = expired
        self._loop = asyncio.get_running_loop()
        self._due = inf
        self._fires_at = inf
        self._timer: asyncio.TimerHandle | None = None

    def set(self, seconds: float) -> None:
        """Move the deadline to this many seconds from now."""
        self._due = self._loop.time() + seconds
        if self._due < self._fires_at:
            self._arm()

    def clear(self) -> None:
        """Remove the deadline, but keep the timer for the next one."""
        self._due = inf

    def cancel(self) -> None:
        """Remove the deadline, its timer and the callback, which would be a reference cycle."""
        self._due = self._fires_at = inf
        self._expired = _do_nothing
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _arm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._fires_at = self._due
        self._timer = self._loop.call_at(self._due, self._fire)

    def _fire(self) -> None:
        self._timer, self._fires_at = None, inf
        if self._due <= self._loop.time():
            self._due = inf
            self._expired()
        elif self._due < inf:
            self._arm()


def _do_nothing() -> None:
    pass
