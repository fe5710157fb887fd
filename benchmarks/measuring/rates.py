"""How often a second something can be done, one after the other, in this process."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import TypeAlias

# What is done, told how often it was done before: so that each time can be about another item.
Act: TypeAlias = Callable[[int], object]

_ROUNDS = 4


def rates(acts: Sequence[Act], seconds: float) -> list[float]:
    """The rate of each, measured in turns, so that what disturbs the machine disturbs all alike."""
    done = [0] * len(acts)
    found: list[list[float]] = [[] for _ in acts]
    for _ in range(_ROUNDS):
        for number, act in enumerate(acts):
            times, elapsed = _do(act, done[number], seconds / _ROUNDS)
            done[number] += times
            found[number].append(times / elapsed)
    return [median(each) for each in found]


def _do(act: Act, first: int, seconds: float) -> tuple[int, float]:
    number = first
    begun = time.perf_counter()
    while True:
        act(number)
        number += 1
        elapsed = time.perf_counter() - begun
        if elapsed >= seconds:
            return number - first, elapsed
