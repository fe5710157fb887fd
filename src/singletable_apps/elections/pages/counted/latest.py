"""The latest count of elections that many look at at once: however many ask, it is made once."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from singletable_apps.elections.pages.counted.model import Count

# While ballots come in, nobody sees the difference; the table would feel it.
LONGEST = timedelta(seconds=2)
KEPT = 32


@dataclass(frozen=True, slots=True)
class _Made:
    version: int
    when: datetime
    count: Count


class Latest:
    """Counts by election: good as long as nothing has happened, and for a moment after."""

    def __init__(self) -> None:
        self._made: OrderedDict[int, _Made] = OrderedDict()
        self._lock = threading.Lock()

    def count(
        self, election_id: int, version: int, now: datetime, make: Callable[[], Count]
    ) -> Count:
        """The latest one, or a new one if that is too old."""
        with self._lock:
            known = self._made.get(election_id)
        if known is not None and _is_good(known, version, now):
            return known.count
        made = _Made(version, now, make())
        with self._lock:
            self._made[election_id] = made
            self._made.move_to_end(election_id)
            while len(self._made) > KEPT:
                self._made.popitem(last=False)
        return made.count


def _is_good(known: _Made, version: int, now: datetime) -> bool:
    return known.version == version or timedelta(0) <= now - known.when < LONGEST
