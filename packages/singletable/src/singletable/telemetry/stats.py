"""Statistics of calls by access pattern, kept in memory; and what all observers here share.

A call is labeled with the pattern that a catalog recognizes, and with its outcome. Its capacity
units are split by table and index.
"""

from __future__ import annotations

import importlib
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from dynamodb_engine.operations import ConsumedCapacity
from singletable.store import Call, CallShape
from singletable.store.calls import PatternLike

UNDECLARED = "undeclared"
# Quantiles are computed from the latest calls of a pattern.
MAX_DURATIONS = 1024


class PatternMatcher(Protocol):
    """Recognizes the pattern of a call; a PatternCatalog does."""

    def recognize(self, shape: CallShape) -> PatternLike | None:
        """Return the pattern that matches the call, or None."""
        ...


@dataclass(frozen=True, slots=True)
class PatternStats:
    """Totals of one pattern's calls; durations in seconds, of the latest calls.

    Its reads examined `scanned_count` items and returned `count` of them.
    """

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
    scanned_count: int
    count: int


class CallStats:
    """An observer that adds up calls by pattern; safe to use from many threads."""

    def __init__(self, *catalogs: PatternMatcher) -> None:
        self._catalogs: Sequence[PatternMatcher] = catalogs
        self._lock = threading.Lock()
        self._totals: dict[str, _Totals] = {}

    def __call__(self, call: Call) -> None:
        """Add a call."""
        pattern = pattern_of(self._catalogs, call)
        with self._lock:
            self._totals.setdefault(pattern, _Totals()).add(call)

    def snapshot(self) -> list[PatternStats]:
        """Return the statistics of each pattern that was called, sorted by name."""
        with self._lock:
            return [self._totals[name].stats(name) for name in sorted(self._totals)]

    def for_pattern(self, pattern: str) -> PatternStats:
        """Return the statistics of one pattern, `elections:AP7`; all zero if it was not called."""
        with self._lock:
            return self._totals.get(pattern, _Totals()).stats(pattern)

    def reset(self) -> None:
        """Set all statistics back to zero."""
        with self._lock:
            self._totals.clear()


class _Totals:
    def __init__(self) -> None:
        self.calls = self.errors = self.requests = self.retries = self.conflicts = 0
        self.scanned_count = self.count = 0
        self.read_units = self.write_units = 0.0
        self.slowest = 0.0
        self.durations: deque[float] = deque(maxlen=MAX_DURATIONS)

    def add(self, call: Call) -> None:
        # Further pages belong to the call that read the first one.
        self.calls += not call.continued
        self.errors += call.error is not None
        self.requests += len(call.requests)
        self.retries += call.retries
        self.conflicts += call.conflicts
        self.read_units += call.read_units
        self.write_units += call.write_units
        self.scanned_count += sum(sent.scanned_count for sent in call.requests)
        self.count += sum(sent.count for sent in call.requests)
        self.slowest = max(self.slowest, call.seconds)
        self.durations.append(call.seconds)

    def stats(self, pattern: str) -> PatternStats:
        durations = sorted(self.durations)
        return PatternStats(
            pattern,
            self.calls,
            self.errors,
            self.requests,
            self.read_units,
            self.write_units,
            self.retries,
            self.conflicts,
            _quantile(durations, 0.5),
            _quantile(durations, 0.95),
            _quantile(durations, 0.99),
            self.slowest,
            self.scanned_count,
            self.count,
        )


def _quantile(durations: Sequence[float], share: float) -> float:
    """Return the duration that this share of calls did not exceed."""
    if not durations:
        return 0.0
    return durations[max(0, -(-int(share * 100) * len(durations) // 100) - 1)]


def pattern_of(catalogs: Sequence[PatternMatcher], call: Call) -> str:
    """Return the id of the pattern that matches a call, or `undeclared`."""
    for catalog in catalogs:
        pattern = catalog.recognize(call.shape)
        if pattern is not None:
            return pattern.id
    return UNDECLARED


def outcome_of(call: Call) -> str:
    """Return `ok`, or the name of the error that the call raised."""
    return "ok" if call.error is None else type(call.error).__name__


@dataclass(frozen=True, slots=True)
class ConsumedUnits:
    """Capacity units of a table, or of one of its indexes; `index` is empty for the table."""

    table: str
    index: str
    kind: Literal["read", "write"]
    units: float


def units_of(call: Call) -> Iterator[ConsumedUnits]:
    """Yield the units that each request of a call consumed, by table and index."""
    for sent in call.requests:
        kind: Literal["read", "write"] = "read" if sent.is_read else "write"
        for consumed in sent.consumed:
            for index, units in _units_by_index(consumed):
                if units:
                    yield ConsumedUnits(consumed.table_name, index, kind, units)


def _units_by_index(consumed: ConsumedCapacity) -> Iterator[tuple[str, float]]:
    if consumed.table is None:  # some engines report only the total
        yield "", consumed.capacity_units
        return
    yield "", consumed.table.capacity_units
    for indexes in (consumed.global_secondary_indexes, consumed.local_secondary_indexes):
        for name, capacity in (indexes or {}).items():
            yield name, capacity.capacity_units


def check_installed(module: str, extra: str, observer: str) -> None:
    """Raise an error that names the extra to install, if `module` is missing."""
    try:
        importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"{observer} needs {module}, which is not installed. Install singletable[{extra}].",
            name=error.name,
        ) from None
