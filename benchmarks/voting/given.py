"""What each program of a library is given, and how it answers."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

Rows = list[list[int]]
# A method, from raw rows to the winner's number.
Count = Callable[[Rows], int]

# The shortest of so many times is taken: what disturbs can only make one longer.
ROUNDS = 2
_WARM = 200


def answer(methods: dict[str, Count]) -> None:
    """Count the ballots of the file by each method, and print how long it took and who won.

    A few ballots are counted before: what a library compiles or loads is not measured.
    """
    candidates = int(sys.argv[2])
    flat = Path(sys.argv[1]).read_bytes()
    rows = [list(flat[at : at + candidates]) for at in range(0, len(flat), candidates)]
    found: dict[str, tuple[float, int]] = {}
    for name, count in methods.items():
        count(rows[:_WARM])
        found[name] = min(_timed(count, rows) for _ in range(ROUNDS))
    print(json.dumps(found))


def _timed(count: Count, rows: Rows) -> tuple[float, int]:
    begun = time.perf_counter()
    winner = count(rows)
    return time.perf_counter() - begun, winner
