"""Counts that are kept as ballots come, change and go, so that a live tally reads no ballots.

The sums of pairs are all that Schulze, Ranked Pairs, Copeland and Borda ask for, and their size
does not depend on the number of ballots. An instant runoff asks for the rankings themselves: those
that differ, each with its count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from singletable_apps.counting.ballots import Ballots, checked_candidates
from singletable_apps.counting.errors import BallotsRefused
from singletable_apps.counting.gathering import ballots_of_groups, checked_count
from singletable_apps.counting.pairwise import Pairwise
from singletable_apps.counting.ranking import Ranking


class RunningPairwise:
    """The sums of all pairs, ballot by ballot.

    It keeps no ballots: whoever removes or replaces one must say what was on it.
    """

    def __init__(self, candidates: Iterable[str]) -> None:
        self.candidates = checked_candidates(candidates)
        self._number = {name: at for at, name in enumerate(self.candidates)}
        size = len(self.candidates)
        self._cast = self._blank = 0
        self._both = [[0] * size for _ in range(size)]
        self._above = [[0] * size for _ in range(size)]

    @classmethod
    def resumed(cls, sums: Pairwise) -> RunningPairwise:
        """Go on from sums that were kept."""
        running = cls(sums.candidates)
        running._cast, running._blank = sums.cast, sums.blank
        running._both = [list(row) for row in sums.both]
        running._above = [list(row) for row in sums.above]
        return running

    def add(self, ranking: Ranking, count: int = 1) -> None:
        """Count a ballot, or so many alike."""
        self._change(ranking.checked(self._number), checked_count(ranking, count))

    def remove(self, ranking: Ranking, count: int = 1) -> None:
        """Take a ballot out again, or so many alike."""
        ranking.checked(self._number)
        if checked_count(ranking, count) > (
            self._blank if ranking.is_blank else self._fewest(ranking)
        ):
            raise BallotsRefused(f"There are not {count} ballots '{ranking}' to take out.")
        self._change(ranking, -count)

    def replace(self, old: Ranking, new: Ranking) -> None:
        """Count another ranking for the one that a voter has changed."""
        new.checked(self._number)
        self.remove(old)
        self.add(new)

    def pairwise(self) -> Pairwise:
        """The sums as they are now."""
        return Pairwise(
            self.candidates,
            self._cast,
            self._blank,
            tuple(row[at] for at, row in enumerate(self._both)),
            tuple(map(tuple, self._both)),
            tuple(map(tuple, self._above)),
        )

    def _fewest(self, ranking: Ranking) -> int:
        """The most ballots with this ranking that these sums leave room for."""
        ranked = [self._number[name] for name in ranking.names]
        return min(self._both[a][b] for a in ranked for b in ranked)

    def _change(self, ranking: Ranking, count: int) -> None:
        self._cast += count
        self._blank += count if ranking.is_blank else 0
        levels = [[self._number[name] for name in level] for level in ranking.levels]
        ranked = [each for level in levels for each in level]
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


class RunningRankings:
    """How many ballots have each ranking, ballot by ballot."""

    def __init__(self, candidates: Iterable[str]) -> None:
        self.candidates = checked_candidates(candidates)
        self._known = frozenset(self.candidates)
        self._counts: Counter[Ranking] = Counter()

    def add(self, ranking: Ranking, count: int = 1) -> None:
        """Count a ballot, or so many alike."""
        self._counts[ranking.checked(self._known)] += checked_count(ranking, count)

    def remove(self, ranking: Ranking, count: int = 1) -> None:
        """Take a ballot out again, or so many alike."""
        if self._counts[ranking] < checked_count(ranking, count):
            raise BallotsRefused(
                f"There are {self._counts[ranking]} ballots '{ranking}', too few to take {count}."
            )
        self._counts[ranking] -= count
        if not self._counts[ranking]:
            del self._counts[ranking]

    def replace(self, old: Ranking, new: Ranking) -> None:
        """Count another ranking for the one that a voter has changed."""
        new.checked(self._known)
        self.remove(old)
        self.add(new)

    def ballots(self) -> Ballots:
        """The ballots as they are now, those that are alike in one row."""
        return ballots_of_groups(self.candidates, self._counts.items())
