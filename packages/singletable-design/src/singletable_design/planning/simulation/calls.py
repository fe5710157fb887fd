"""Calls as columns: their patterns, their times, and the parts of their requests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from singletable_design.planning.simulation.partitions import Flags, Floats, Ints


@dataclass(frozen=True, slots=True)
class Calls:
    """Calls and the parts of their requests, as columns.

    `latency` has the seconds so far, including waits. A part consumes `units` of a `kind` at a
    `position`; `call` and `request` say for which call, and for which of its requests.
    """

    pattern: Ints
    second: Ints
    attempt: Ints
    latency: Floats
    call: Ints
    request: Ints
    position: Floats
    kind: Ints
    units: Floats

    def __len__(self) -> int:
        return len(self.pattern)

    def select(self, calls: Flags, parts: Flags) -> Calls:
        """Return some calls, with some of their parts."""
        renumbered = np.cumsum(calls) - 1
        return Calls(
            self.pattern[calls],
            self.second[calls],
            self.attempt[calls],
            self.latency[calls],
            renumbered[self.call[parts]],
            self.request[parts],
            self.position[parts],
            self.kind[parts],
            self.units[parts],
        )


def join_calls(batches: Sequence[Calls]) -> Calls:
    """Return the calls of all batches."""
    if len(batches) == 1:
        return batches[0]
    firsts = np.cumsum([0, *(len(batch) for batch in batches)])
    calls = [batch.call + first for batch, first in zip(batches, firsts, strict=False)]
    return Calls(
        np.concatenate([batch.pattern for batch in batches]),
        np.concatenate([batch.second for batch in batches]),
        np.concatenate([batch.attempt for batch in batches]),
        np.concatenate([batch.latency for batch in batches]),
        np.concatenate(calls),
        np.concatenate([batch.request for batch in batches]),
        np.concatenate([batch.position for batch in batches]),
        np.concatenate([batch.kind for batch in batches]),
        np.concatenate([batch.units for batch in batches]),
    )


class CallsBySecond:
    """The calls of a batch by second; they are sorted when first needed."""

    def __init__(self, calls: Calls, start: int, end: int) -> None:
        self._calls = calls
        self._start, self._end = start, end
        self._orders: tuple[Ints, Ints, Ints, Ints] | None = None

    def calls(self, second: int) -> Calls:
        """Return the calls of a second."""
        if self._orders is None:
            self._orders = self._sort()
        calls, parts, call_ends, part_ends = self._orders
        at = second - self._start
        own = calls[call_ends[at] : call_ends[at + 1]]
        own_parts = parts[part_ends[at] : part_ends[at + 1]]
        renumbered = np.searchsorted(own, self._calls.call[own_parts])
        source = self._calls
        return Calls(
            source.pattern[own],
            source.second[own],
            source.attempt[own],
            source.latency[own],
            renumbered,
            source.request[own_parts],
            source.position[own_parts],
            source.kind[own_parts],
            source.units[own_parts],
        )

    def _sort(self) -> tuple[Ints, Ints, Ints, Ints]:
        # Small integers are sorted in linear time.
        seconds = (self._calls.second - self._start).astype(np.uint8)
        part_seconds = seconds[self._calls.call]
        bounds = np.arange(self._end - self._start + 1)
        order = np.argsort(seconds, kind="stable")
        part_order = np.argsort(part_seconds, kind="stable")
        return (
            order,
            part_order,
            np.searchsorted(seconds[order], bounds),
            np.searchsorted(part_seconds[part_order], bounds),
        )
