"""Draw values of a distribution by their ranks."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from singletable.patterns import Distribution
from singletable_design.planning.simulation.partitions import Floats, Ints

# Ranks above this are drawn from a continuous distribution, which differs by less than rounding.
_TABLE_SIZE = 2**20


class Sampler:
    """Draws ranks of a distribution, from 0 for the most frequent value."""

    def __init__(self, distribution: Distribution) -> None:
        self._values = values = distribution.values
        self._exponent = exponent = distribution.exponent
        self._size = size = min(values, _TABLE_SIZE)
        weights = np.arange(1, size + 1, dtype=np.float64) ** -exponent
        self._tail = _area(size + 0.5, values + 0.5, exponent) if values > size else 0.0
        self._total = float(weights.sum()) + self._tail
        self._sums: Floats = np.cumsum(weights)

    def draw(self, count: int, random: np.random.Generator) -> Ints:
        """Draw ranks."""
        if not self._exponent:
            return random.integers(self._values, size=count, dtype=np.intp)
        sums = random.random(count) * self._total
        ranks = np.searchsorted(self._sums, sums, side="right")
        if self._tail:
            beyond = np.flatnonzero(ranks >= self._size)
            area = sums[beyond] - self._sums[-1]
            ranks[beyond] = _rank_at(self._size + 0.5, area, self._exponent)
        return np.minimum(ranks, self._values - 1)

    def shares(self, ranks: Ints) -> Floats:
        """Return the share of each rank."""
        weights: Floats = np.power(ranks + 1.0, -self._exponent, dtype=np.float64)
        return weights / self._total


@lru_cache(maxsize=256)
def sampler(distribution: Distribution) -> Sampler:
    """Return the sampler of a distribution; its table is computed once."""
    return Sampler(distribution)


def _area(start: float, end: float, exponent: float) -> float:
    """Return the integral of x ** -exponent."""
    if exponent == 1:
        return math.log(end / start)
    power = 1 - exponent
    return (math.pow(end, power) - math.pow(start, power)) / power


def _rank_at(start: float, area: Floats, exponent: float) -> Ints:
    """Return the rank, from 0, up to which the integral from `start` has this area."""
    if exponent == 1:
        ends = start * np.exp(area)
    else:
        power = 1 - exponent
        ends = np.maximum(area * power + math.pow(start, power), 0.0) ** (1 / power)
    return np.minimum(np.round(ends), 2.0**60).astype(np.intp) - 1
