"""Counters for live results: add, remove and replace ballots without recounting the rest.

`PairwiseCounter` keeps the pairwise sums, which is all that Schulze, Ranked Pairs, Copeland and
Borda need, and whose size does not depend on the number of ballots. `RankingCounter` keeps the
distinct rankings with their counts, which an instant runoff needs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ranked_ballots.ballots import Ballots, validate_candidates, validate_count
from ranked_ballots.errors import BallotsError
from ranked_ballots.pairwise import Pairwise
from ranked_ballots.ranking import Ranking


class PairwiseCounter:
    """The pairwise sums of all ballots.

    Ballots are not kept: to remove or replace one, pass the ranking it had.
    """

    def __init__(self, candidates: Iterable[str]) -> None:
        self.candidates = validate_candidates(candidates)
        self._number = {name: at for at, name in enumerate(self.candidates)}
        size = len(self.candidates)
        self._cast = self._blank = 0
        self._both = [[0] * size for _ in range(size)]
        self._above = [[0] * size for _ in range(size)]

    @classmethod
    def from_pairwise(cls, sums: Pairwise) -> PairwiseCounter:
        """Continue from sums that were saved earlier."""
        counter = cls(sums.candidates)
        counter._cast, counter._blank = sums.cast, sums.blank
        counter._both = [list(row) for row in sums.both]
        counter._above = [list(row) for row in sums.above]
        return counter

    def add(self, ranking: Ranking, count: int = 1) -> None:
        """Add `count` ballots with this ranking."""
        ranking.check_candidates(self._number)
        self._change(ranking, validate_count(ranking, count))

    def remove(self, ranking: Ranking, count: int = 1) -> None:
        """Remove `count` ballots with this ranking."""
        ranking.check_candidates(self._number)
        known = self._blank if ranking.is_blank else self._upper_bound(ranking)
        if validate_count(ranking, count) > known:
            raise BallotsError(f"Cannot remove {count} ballots '{ranking}': there are fewer.")
        self._change(ranking, -count)

    def replace(self, old: Ranking, new: Ranking) -> None:
        """Replace one ballot that its voter changed."""
        new.check_candidates(self._number)
        self.remove(old)
        self.add(new)

    def pairwise(self) -> Pairwise:
        """Return the current sums."""
        return Pairwise(
            self.candidates,
            self._cast,
            self._blank,
            tuple(row[at] for at, row in enumerate(self._both)),
            tuple(map(tuple, self._both)),
            tuple(map(tuple, self._above)),
        )

    def _upper_bound(self, ranking: Ranking) -> int:
        """Return the most ballots with this ranking that the sums allow."""
        ranked = [self._number[name] for name in ranking.names]
        return min(self._both[a][b] for a in ranked for b in ranked)

    def _change(self, ranking: Ranking, count: int) -> None:
        self._cast += count
        self._blank += count if ranking.is_blank else 0
        levels = [[self._number[name] for name in level] for level in ranking.levels]
        ranked = [candidate for level in levels for candidate in level]
        for a in ranked:
            both = self._both[a]
            for b in ranked:
                both[b] += count
        seen = 0
        for level in levels:
            seen += len(level)
            for a in level:
                above = self._above[a]
                for b in ranked[seen:]:
                    above[b] += count


class RankingCounter:
    """The number of ballots with each ranking."""

    def __init__(self, candidates: Iterable[str]) -> None:
        self.candidates = validate_candidates(candidates)
        self._known = frozenset(self.candidates)
        self._counts: Counter[Ranking] = Counter()

    def add(self, ranking: Ranking, count: int = 1) -> None:
        """Add `count` ballots with this ranking."""
        ranking.check_candidates(self._known)
        self._counts[ranking] += validate_count(ranking, count)

    def remove(self, ranking: Ranking, count: int = 1) -> None:
        """Remove `count` ballots with this ranking."""
        if self._counts[ranking] < validate_count(ranking, count):
            raise BallotsError(
                f"Cannot remove {count} ballots '{ranking}': there are {self._counts[ranking]}."
            )
        self._counts[ranking] -= count
        if not self._counts[ranking]:
            del self._counts[ranking]

    def replace(self, old: Ranking, new: Ranking) -> None:
        """Replace one ballot that its voter changed."""
        new.check_candidates(self._known)
        self.remove(old)
        self.add(new)

    def ballots(self) -> Ballots:
        """Return the current ballots, with one row per distinct ranking."""
        return Ballots.from_counts(self.candidates, self._counts.items())
