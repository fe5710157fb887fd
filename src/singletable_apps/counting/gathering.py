"""Ballots from rankings that came one by one, or with the number of those who gave them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from singletable_apps.counting.ballots import (
    Ballots,
    checked_candidates,
    counts_of,
    rank_type,
)
from singletable_apps.counting.errors import BallotsRefused
from singletable_apps.counting.ranking import Ranking


def ballots_of(candidates: Sequence[str], rankings: Iterable[Ranking]) -> Ballots:
    """Ballots that came one by one; those that are alike become one row."""
    return ballots_of_groups(candidates, Counter(rankings).items())


def ballots_of_groups(candidates: Sequence[str], groups: Iterable[tuple[Ranking, int]]) -> Ballots:
    """Rankings, each with the number of ballots that say so."""
    number = {name: at for at, name in enumerate(checked_candidates(candidates))}
    counted: Counter[Ranking] = Counter()
    for ranking, count in groups:
        counted[ranking.checked(number)] += checked_count(ranking, count)
    kept = [(ranking, count) for ranking, count in counted.items() if count]
    ranks = rank_type(len(number))
    columns = np.full((len(number), len(kept)), np.iinfo(ranks).max, dtype=ranks)
    for row, (ranking, _) in enumerate(kept):
        for rank, level in enumerate(ranking.levels, start=1):
            for name in level:
                columns[number[name], row] = rank
    strict = all(len(level) == 1 for ranking, _ in kept for level in ranking.levels)
    return Ballots(tuple(number), columns, counts_of([count for _, count in kept]), strict)


def checked_count(ranking: Ranking, count: object) -> int:
    """The count, if it is a whole number of ballots."""
    if not isinstance(count, int) or isinstance(count, bool) or count < 0:
        raise BallotsRefused(
            f"The ranking '{ranking}' comes with the count {count!r}; a count is 0, 1, 2 …"
        )
    return count
