"""Head to head: for each two candidates, how many ballots rank one above the other.

These few sums are all that Schulze, Ranked Pairs, Copeland and Borda need to know of the ballots,
whatever their number; and each ballot can be added to them, or taken out again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from singletable_apps.counting.ballots import BLOCK, Ballots, row_counter

Matrix: TypeAlias = tuple[tuple[int, ...], ...]
Unranked: TypeAlias = Literal["last", "no opinion"]


@dataclass(frozen=True, slots=True)
class Pairwise:
    """Sums over all ballots, by candidates in their order.

    `ranked[a]` is how many rank a, `both[a][b]` how many rank both, and `above[a][b]` how many of
    these rank a above b.
    """

    candidates: tuple[str, ...]
    cast: int
    blank: int
    ranked: tuple[int, ...]
    both: Matrix
    above: Matrix

    def preferences(self, unranked: Unranked = "last") -> Matrix:
        """How many ballots prefer the row's candidate to the column's.

        If those left out stand last, ranking one and leaving out another is a preference too.
        """
        if unranked == "no opinion":
            return self.above
        return tuple(
            tuple(
                above + self.ranked[a] - both if a != b else 0
                for b, (above, both) in enumerate(zip(self.above[a], self.both[a], strict=True))
            )
            for a in range(len(self.candidates))
        )


def count_pairs(ballots: Ballots | Pairwise) -> Pairwise:
    """Every pair of the ballots; sums that were kept as the ballots came are taken as they are."""
    return ballots if isinstance(ballots, Pairwise) else _counted(ballots)


def _counted(ballots: Ballots) -> Pairwise:
    """Count every pair, a block of rows at a time."""
    size = len(ballots.candidates)
    ranked = [0] * size
    both = [[0] * size for _ in range(size)]
    before = [[0] * size for _ in range(size)]
    complete = int(ballots.columns.max(initial=0)) < ballots.unranked
    for first in range(0, ballots.rows, BLOCK):
        block = ballots.columns[:, first : first + BLOCK]
        weigh = row_counter(
            None if ballots.counts is None else ballots.counts[first : first + BLOCK]
        )
        present = None if complete else block != ballots.unranked
        total = weigh(np.ones(len(block[0]), np.bool_))
        for a in range(size):
            ranked[a] += total if present is None else weigh(present[a])
            for b in range(a):
                together = total if present is None else weigh(present[a] & present[b])
                both[a][b] += together
                over = weigh(block[a] < block[b])
                before[a][b] += over
                # Strict and complete ballots that do not rank a above b rank b above a.
                strict = ballots.strict and present is None
                before[b][a] += total - over if strict else weigh(block[b] < block[a])
    for a in range(size):
        both[a][a] = ranked[a]
        for b in range(a):
            both[b][a] = both[a][b]
    above = [
        [before[a][b] - (ranked[a] - both[a][b]) if a != b else 0 for b in range(size)]
        for a in range(size)
    ]
    return Pairwise(
        ballots.candidates,
        ballots.cast,
        ballots.blank,
        tuple(ranked),
        tuple(map(tuple, both)),
        tuple(map(tuple, above)),
    )
