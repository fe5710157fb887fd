"""Whom each ballot counts for, given who is left.

A ballot counts for the one with its best rank among those left. So votes are counted anew from the
columns in each round, and no ballot is ever moved: what an elimination transferred is the
difference between two rounds, for only the ballots of whoever went count for others now.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from singletable_apps.counting.ballots import BLOCK, Ballots, Columns, row_counter
from singletable_apps.counting.equal_ranks import prepared
from singletable_apps.counting.result import Number
from singletable_apps.counting.rules import EqualRanks

NO_CHOICES = "no more choices"
EQUAL_RANKS = "equal ranks"


@dataclass(frozen=True, slots=True, eq=False)
class Votes:
    """The votes of each who is left, and the ballots that count for nobody, by reason.

    `lost` marks the rows that are exhausted for good, where the rule on equal ranks makes such.
    """

    of: dict[int, Number]
    exhausted: dict[str, Number]
    lost: NDArray[np.bool_] | None

    @property
    def continuing(self) -> Number:
        """How many ballots count for somebody."""
        return sum(self.of.values())

    @property
    def majority(self) -> int | None:
        """Who has more than half of the continuing ballots."""
        continuing = self.continuing
        for candidate, votes in self.of.items():
            if 2 * votes > continuing:
                return candidate
        return None

    @property
    def fewest(self) -> list[int]:
        """Who has the fewest votes: several if they are tied."""
        lowest = min(self.of.values())
        return [candidate for candidate, votes in self.of.items() if votes == lowest]


class FirstChoices:
    """Ballots, ready to be counted for whoever is left."""

    def __init__(self, ballots: Ballots, rule: EqualRanks) -> None:
        self.ballots = ballots
        self.ready = prepared(ballots, rule)
        # A ballot that equal ranks exhausted stays so: then the past matters, not only who is left.
        self.remembers = rule == "exhaust" and not self.ready.strict

    def votes(self, left: Sequence[int], lost: NDArray[np.bool_] | None = None) -> Votes:
        """Count the ballots for those who are left; `lost` are those of the round before."""
        # shares[n] are the ballots of each that count for n candidates in equal parts.
        shares: dict[int, Counter[int]] = {1: Counter()}
        nobody = equal = 0
        lost = self._kept(lost)
        for first in range(0, self.ballots.rows, BLOCK):
            block = slice(first, first + BLOCK)
            weigh = row_counter(None if self.ballots.counts is None else self.ballots.counts[block])
            part = self.ready.columns[:, block]
            best = self._best(part, left, None if lost is None else lost[block])
            if self.ready.strict:
                shares[1].update({each: weigh(part[each] == best) for each in left})
            else:
                level = {each: part[each] == best for each in left}
                together = np.add.reduce(list(level.values()), dtype=np.int16)
                if lost is not None:
                    lost[block] |= together > 1
                    best[together > 1] = together[together > 1] = 0
                for number in np.unique(together[together > 0]).tolist():
                    sharing = together == number
                    counted = {each: weigh(level[each] & sharing) for each in left}
                    shares.setdefault(number, Counter()).update(counted)
            nobody += weigh(best == 0)
            by_equal_ranks = self.ready.cut if lost is None else lost
            if by_equal_ranks is not None:
                equal += weigh((best == 0) & by_equal_ranks[block])
        return Votes(
            {each: _sum(shares, each) for each in left},
            {NO_CHOICES: nobody - equal - self.ballots.blank, EQUAL_RANKS: equal},
            lost,
        )

    def _kept(self, lost: NDArray[np.bool_] | None) -> NDArray[np.bool_] | None:
        if not self.remembers:
            return None
        return np.zeros(self.ballots.rows, np.bool_) if lost is None else lost.copy()

    def _best(self, part: Columns, left: Sequence[int], lost: NDArray[np.bool_] | None) -> Columns:
        """The best rank on each row among those left; 0, which nobody has, where there is none."""
        best: Columns = part[left[0]].copy()
        for candidate in left[1:]:
            np.minimum(best, part[candidate], out=best)
        best[best == self.ballots.unranked] = 0
        if lost is not None:
            best[lost] = 0
        return best


def _sum(shares: dict[int, Counter[int]], candidate: int) -> Number:
    """Whole votes and parts of votes, exactly."""
    if len(shares) == 1:
        return shares[1][candidate]
    votes = sum(Fraction(counted[candidate], number) for number, counted in shares.items())
    return int(votes) if votes.denominator == 1 else Fraction(votes)
