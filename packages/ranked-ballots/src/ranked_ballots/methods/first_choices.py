"""The remaining candidate that each ballot counts for.

A ballot counts for the remaining candidate it ranks best. Votes are counted from the columns in
every round, so no ballot is ever moved: the transfers of an elimination are the difference between
two rounds, because only the ballots of the eliminated candidate count for others now.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ranked_ballots.ballots import BLOCK, Ballots, Columns, row_counter
from ranked_ballots.result import Number
from ranked_ballots.rules import EqualRanks

NO_CHOICES = "no more choices"
EQUAL_RANKS = "equal ranks"


@dataclass(frozen=True, slots=True)
class PreparedRanks:
    """Ranks after the rule on equal ranks was applied.

    `strict` says that no rank is shared. `cut` marks rows that lost everything from a shared rank
    on: these are exhausted by equal ranks, not by a lack of choices.
    """

    columns: Columns
    strict: bool
    cut: NDArray[np.bool_] | None = None


def prepare_ranks(ballots: Ballots, rule: EqualRanks) -> PreparedRanks:
    """Remove the ranks that the rule on equal ranks does not count."""
    if ballots.is_strict:
        return PreparedRanks(ballots.columns, strict=True)
    if rule in ("split", "exhaust"):
        return PreparedRanks(ballots.columns, strict=False)
    shared = _find_shared_ranks(ballots)
    columns = ballots.columns.copy()
    if rule == "skip":
        columns[shared] = ballots.unranked
        return PreparedRanks(columns, strict=True)
    first: Columns = np.where(shared, columns, ballots.unranked).min(axis=0)
    columns[columns >= first] = ballots.unranked
    return PreparedRanks(columns, strict=True, cut=first < ballots.unranked)


def _find_shared_ranks(ballots: Ballots) -> NDArray[np.bool_]:
    """Mark the ranks that candidates share on a ballot."""
    columns = ballots.columns
    shared = np.zeros(columns.shape, np.bool_)
    for a in range(len(columns)):
        for b in range(a):
            equal = columns[a] == columns[b]
            shared[a] |= equal
            shared[b] |= equal
    shared &= columns != ballots.unranked
    return shared


@dataclass(frozen=True, slots=True, eq=False)
class Votes:
    """The votes of each remaining candidate by number, and the exhausted ballots by reason.

    `exhausted_rows` marks rows that stay exhausted, where the rule on equal ranks requires it.
    """

    tally: dict[int, Number]
    exhausted: dict[str, Number]
    exhausted_rows: NDArray[np.bool_] | None

    @property
    def continuing(self) -> Number:
        """Return how many ballots count for a candidate."""
        return sum(self.tally.values())

    @property
    def majority(self) -> int | None:
        """Return the candidate with more than half of the continuing ballots, or None."""
        continuing = self.continuing
        for candidate, votes in self.tally.items():
            if 2 * votes > continuing:
                return candidate
        return None

    @property
    def fewest(self) -> list[int]:
        """Return the candidates with the fewest votes, several if they are tied."""
        lowest = min(self.tally.values())
        return [candidate for candidate, votes in self.tally.items() if votes == lowest]


class FirstChoices:
    """Ballots, prepared for counting the best remaining choice of each."""

    def __init__(self, ballots: Ballots, rule: EqualRanks) -> None:
        self.ballots = ballots
        self.ranks = prepare_ranks(ballots, rule)
        # Ballots exhausted by equal ranks stay so: then the past matters, not only who remains.
        self.tracks_exhausted = rule == "exhaust" and not self.ranks.strict

    def count(
        self, remaining: Sequence[int], exhausted_rows: NDArray[np.bool_] | None = None
    ) -> Votes:
        """Count the ballots for the remaining candidates.

        `exhausted_rows` comes from the votes of the round before.
        """
        # shares[n] counts the ballots that are split between n candidates.
        shares: dict[int, Counter[int]] = {1: Counter()}
        nobody = equal = 0
        exhausted_rows = self._copy_exhausted(exhausted_rows)
        for first in range(0, self.ballots.rows, BLOCK):
            block = slice(first, first + BLOCK)
            counts = None if self.ballots.counts is None else self.ballots.counts[block]
            count_rows = row_counter(counts)
            part = self.ranks.columns[:, block]
            exhausted = None if exhausted_rows is None else exhausted_rows[block]
            best = self._best_ranks(part, remaining, exhausted)
            if self.ranks.strict:
                shares[1].update({each: count_rows(part[each] == best) for each in remaining})
            else:
                is_best = {each: part[each] == best for each in remaining}
                sharing = np.add.reduce(list(is_best.values()), dtype=np.int16)
                if exhausted_rows is not None:
                    exhausted_rows[block] |= sharing > 1
                    best[sharing > 1] = sharing[sharing > 1] = 0
                for number in np.unique(sharing[sharing > 0]).tolist():
                    split = sharing == number
                    votes = {each: count_rows(is_best[each] & split) for each in remaining}
                    shares.setdefault(number, Counter()).update(votes)
            nobody += count_rows(best == 0)
            by_equal_ranks = self.ranks.cut if exhausted_rows is None else exhausted_rows
            if by_equal_ranks is not None:
                equal += count_rows((best == 0) & by_equal_ranks[block])
        return Votes(
            {each: _sum_shares(shares, each) for each in remaining},
            {NO_CHOICES: nobody - equal - self.ballots.blank, EQUAL_RANKS: equal},
            exhausted_rows,
        )

    def _copy_exhausted(self, rows: NDArray[np.bool_] | None) -> NDArray[np.bool_] | None:
        if not self.tracks_exhausted:
            return None
        return np.zeros(self.ballots.rows, np.bool_) if rows is None else rows.copy()

    def _best_ranks(
        self, part: Columns, remaining: Sequence[int], exhausted: NDArray[np.bool_] | None
    ) -> Columns:
        """Return each row's best rank among the remaining candidates, or 0 without one."""
        best: Columns = part[remaining[0]].copy()
        for candidate in remaining[1:]:
            np.minimum(best, part[candidate], out=best)
        best[best == self.ballots.unranked] = 0
        if exhausted is not None:
            best[exhausted] = 0
        return best


def _sum_shares(shares: dict[int, Counter[int]], candidate: int) -> Number:
    """Add whole votes and parts of votes, exactly."""
    if len(shares) == 1:
        return shares[1][candidate]
    votes = sum(Fraction(counts[candidate], number) for number, counts in shares.items())
    return int(votes) if votes.denominator == 1 else Fraction(votes)
