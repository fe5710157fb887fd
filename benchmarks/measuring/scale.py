"""How large a run is: the same benchmarks serve the documentation and a test of themselves."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scale:
    """Sizes and times of a run; the defaults are what the documentation shows.

    `seconds` is how long one request is measured on one contender, `warm` whether a server is asked
    for as long before, `peers` which servers of others are measured beside ours: all if it is None.
    """

    seconds: float = 2.0
    items: int = 1_000
    counted: int = 10_000
    few: int = 1_000
    many: int = 1_000_000
    stored: int = 100_000
    starts: int = 3
    connections: tuple[int, ...] = (16, 1)
    warm: bool = True
    peers: frozenset[str] | None = None
