"""How long things take, counted by how long at most."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from itertools import accumulate

from singletable.server.observe.exposition import Sample

# Seconds, from a read out of memory to the end of a client's patience.
_MILLISECONDS = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000)
BOUNDS = tuple(bound / 1000 for bound in _MILLISECONDS)


class Histogram:
    """Counts of durations, and their sum."""

    __slots__ = ("counts", "total")

    def __init__(self) -> None:
        self.counts = [0] * (len(BOUNDS) + 1)
        self.total = 0.0

    @property
    def count(self) -> int:
        """How many there were."""
        return sum(self.counts)

    def observe(self, seconds: float) -> None:
        """Count one; a bound belongs to what is below it."""
        self.counts[bisect_left(BOUNDS, seconds)] += 1
        self.total += seconds

    def samples(self, labels: Mapping[str, str]) -> Iterator[Sample]:
        """The samples of this histogram in its family: each bucket counts all that are faster."""
        bounds = [*(repr(bound) for bound in BOUNDS), "+Inf"]
        counts = list(accumulate(self.counts))
        for bound, count in zip(bounds, counts, strict=True):
            yield Sample(count, {**labels, "le": bound}, "_bucket")
        yield Sample(self.total, labels, "_sum")
        yield Sample(counts[-1], labels, "_count")
