"""The service, threads and pace that the rooms of a process share, and their budget for reads."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sized
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import ParamSpec, TypeVar

from singletable_apps.games.service import GamesService

T = TypeVar("T")
P = ParamSpec("P")
# Reading all players or answers again takes at most this share of the time, for all rooms, but no
# room waits for longer than some seconds.
_SHARE, _LONGEST_REST = 0.1, 30.0


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds between looks at a game that may be changed elsewhere (`poll`), and at all others.

    Processes tell each other what they know every `exchange`. Counters are sent every `fast` to
    hosts and screens, and every `slow` to players, or more rarely to thousands of them; hosts see
    new answers every `slow`. After a disconnect, players have `settle` to come back before the
    others are all that count.
    """

    poll: float = 0.25
    idle: float = 5.0
    exchange: float = 0.5
    fast: float = 0.2
    slow: float = 1.0
    settle: float = 5.0


@dataclass(slots=True)
class LiveSetup:
    """The setup of all rooms of a process. `rooms` are the open ones.

    `is_alone` is whether no other process uses the database, and `is_told` whether the change feed
    reports the writes of others.
    """

    service: GamesService
    threads: Executor
    pace: Pace
    rooms: Sized
    is_alone: bool
    is_told: bool

    async def run(self, work: Callable[P, T], *args: P.args, **more: P.kwargs) -> T:
        """Run work in a thread, and return its result."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.threads, partial(work, *args, **more))


class ReadBudget:
    """Rations how often a room reads, by the processor time that its last read took."""

    def __init__(self, setup: LiveSetup) -> None:
        self._setup = setup
        self._seconds = 0.005

    async def run(self, work: Callable[P, T], *args: P.args, **more: P.kwargs) -> T:
        """Run work in a thread, and note how much processor time it takes."""
        return await self._setup.run(self._measure, partial(work, *args, **more))

    def _measure(self, work: Callable[[], T]) -> T:
        began = time.thread_time()
        try:
            return work()
        finally:
            self._seconds = time.thread_time() - began

    def next_time(self, interval: float) -> float:
        """Return when to read again, so that all rooms together take no more than their share."""
        rest = self._seconds * len(self._setup.rooms) / _SHARE
        return asyncio.get_running_loop().time() + max(interval, min(rest, _LONGEST_REST))
