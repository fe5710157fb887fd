"""Figures of each pattern, kept in memory: for a look, for tests, and for small services."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from singletable.store import Call
from singletable.telemetry.naming import PatternMatcher, pattern_of

# The latest calls of a pattern tell how long it takes; older ones are forgotten.
REMEMBERED = 1024


@dataclass(frozen=True, slots=True)
class PatternStats:
    """What the calls of one pattern came to; times in seconds, of the latest calls."""

    pattern: str
    calls: int
    errors: int
    requests: int
    read_units: float
    write_units: float
    retries: int
    conflicts: int
    median: float
    p95: float
    p99: float
    slowest: float


class CallStats:
    """An observer that counts calls by pattern; safe to use from many threads."""

    def __init__(self, *catalogs: PatternMatcher) -> None:
        self._catalogues: Sequence[PatternMatcher] = catalogs
        self._lock = threading.Lock()
        self._sums: dict[str, _Sums] = {}

    def __call__(self, call: Call) -> None:
        """Count a call."""
        pattern = pattern_of(self._catalogues, call)
        with self._lock:
            self._sums.setdefault(pattern, _Sums()).add(call)

    def figures(self) -> list[PatternStats]:
        """The figures of each pattern that was called, in the order of their names."""
        with self._lock:
            return [self._sums[name].figures(name) for name in sorted(self._sums)]

    def of(self, pattern: str) -> PatternStats:
        """The figures of one pattern, `elections:AP7`; all zero if it was not called."""
        with self._lock:
            return self._sums.get(pattern, _Sums()).figures(pattern)

    def clear(self) -> None:
        """Begin anew."""
        with self._lock:
            self._sums.clear()


class _Sums:
    def __init__(self) -> None:
        self.calls = self.errors = self.requests = self.retries = self.conflicts = 0
        self.read_units = self.write_units = 0.0
        self.slowest = 0.0
        self.times: deque[float] = deque(maxlen=REMEMBERED)

    def add(self, call: Call) -> None:
        # Further pages belong to the call that asked for the first.
        self.calls += not call.continued
        self.errors += call.error is not None
        self.requests += len(call.requests)
        self.retries += call.retries
        self.conflicts += call.conflicts
        self.read_units += call.read_units
        self.write_units += call.write_units
        self.slowest = max(self.slowest, call.seconds)
        self.times.append(call.seconds)

    def figures(self, pattern: str) -> PatternStats:
        times = sorted(self.times)
        return PatternStats(
            pattern,
            self.calls,
            self.errors,
            self.requests,
            self.read_units,
            self.write_units,
            self.retries,
            self.conflicts,
            _quantile(times, 0.5),
            _quantile(times, 0.95),
            _quantile(times, 0.99),
            self.slowest,
        )


def _quantile(times: Sequence[float], share: float) -> float:
    """The time that so large a share of calls did not exceed."""
    if not times:
        return 0.0
    return times[max(0, -(-int(share * 100) * len(times) // 100) - 1)]
