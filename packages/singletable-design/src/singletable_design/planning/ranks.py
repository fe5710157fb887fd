"""Draw values of a domain by their ranks: the most frequent one has rank 1."""

from __future__ import annotations

import itertools
import math
import random
from bisect import bisect_left
from functools import lru_cache

from singletable.patterns import Distribution


@lru_cache(maxsize=256)
def _cumulative(values: int, exponent: float) -> list[float]:
    return list(itertools.accumulate(math.pow(one, -exponent) for one in range(1, values + 1)))


def draw_rank(rng: random.Random, values: int, exponent: float) -> int:
    """Draw a rank from 1 to `values`; the rank r is drawn in proportion to r ** -exponent."""
    if not exponent:
        return int(rng.random() * values) + 1
    sums = _cumulative(values, exponent)
    return min(bisect_left(sums, rng.random() * sums[-1]), values - 1) + 1


class DistinctRanks:
    """The ranks that the items of one parent have: each once, frequent ones mostly first."""

    def __init__(self, distribution: Distribution, group: tuple[str, ...], seed: int) -> None:
        self._distribution = distribution
        self._rng = random.Random(f"{seed}/{'/'.join(group)}")
        self._drawn: dict[int, None] = {}
        self._order: list[int] = []

    def __call__(self, number: int) -> int:
        """Return the rank of item 1, 2, 3 …."""
        values, exponent = self._distribution.values, self._distribution.exponent
        while len(self._order) < number:
            rank = draw_rank(self._rng, values, exponent)
            tries = 0
            while rank in self._drawn and tries < 50:
                rank = draw_rank(self._rng, values, exponent)
                tries += 1
            while rank in self._drawn:
                rank = rank % values + 1
            self._drawn[rank] = None
            self._order.append(rank)
        return self._order[number - 1]


@lru_cache(maxsize=4096)
def distinct_ranks(distribution: Distribution, group: tuple[str, ...], seed: int) -> DistinctRanks:
    """Return the ranks of the items of one parent, which `group` names."""
    return DistinctRanks(distribution, group, seed)
