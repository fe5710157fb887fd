"""Count the ballots of a file with a library, and print durations and winners as JSON."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

Rows = list[list[int]]
# Returns the number of the winner.
CountingMethod = Callable[[Rows], int]

# The shortest of these rounds counts: other load can only make a round longer.
ROUNDS = 2
_WARM_UP = 200


def count_and_print(methods: dict[str, CountingMethod]) -> None:
    """Count the ballots by each method; print its duration in seconds and its winner.

    A few ballots are counted before, so that compiling and loading are not measured.
    """
    candidates = int(sys.argv[2])
    flat = Path(sys.argv[1]).read_bytes()
    rows = [list(flat[start : start + candidates]) for start in range(0, len(flat), candidates)]
    results: dict[str, tuple[float, int]] = {}
    for name, count in methods.items():
        count(rows[:_WARM_UP])
        results[name] = min(_timed(count, rows) for _ in range(ROUNDS))
    print(json.dumps(results))


def _timed(count: CountingMethod, rows: Rows) -> tuple[float, int]:
    started = time.perf_counter()
    winner = count(rows)
    return time.perf_counter() - started, winner
