"""Head-to-head counts: for each two candidates, how many ballots rank one above the other.

These sums are all that Schulze, Ranked Pairs, Copeland and Borda need, for any number of ballots.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ranked_ballots.ballots import BLOCK, Ballots, row_counter
from ranked_ballots.rules import Unranked
from ranked_ballots.text import format_number

Matrix: TypeAlias = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Pairwise:
    """Sums over all ballots, in the order of the candidates.

    `ranked[a]` ballots rank a, `both[a][b]` rank both, and `above[a][b]` of these rank a above b.
    """

    candidates: tuple[str, ...]
    cast: int
    blank: int
    ranked: tuple[int, ...]
    both: Matrix
    above: Matrix

    def preferences(self, unranked: Unranked = "last") -> Matrix:
        """Return how many ballots prefer the candidate of the row to that of the column.

        If unranked candidates are last, ranking only one of two is a preference as well.
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
    """Count every pair of candidates; sums that are already counted are returned unchanged."""
    return ballots if isinstance(ballots, Pairwise) else _count(ballots)


def _count(ballots: Ballots) -> Pairwise:
    """Count every pair, a block of rows at a time."""
    size = len(ballots.candidates)
    ranked = [0] * size
    both = [[0] * size for _ in range(size)]
    before = [[0] * size for _ in range(size)]
    complete = int(ballots.columns.max(initial=0)) < ballots.unranked
    for first in range(0, ballots.rows, BLOCK):
        block = ballots.columns[:, first : first + BLOCK]
        counts = None if ballots.counts is None else ballots.counts[first : first + BLOCK]
        count_rows = row_counter(counts)
        present = None if complete else block != ballots.unranked
        total = count_rows(np.ones(len(block[0]), np.bool_))
        for a in range(size):
            ranked[a] += total if present is None else count_rows(present[a])
            for b in range(a):
                together = total if present is None else count_rows(present[a] & present[b])
                both[a][b] += together
                over = count_rows(block[a] < block[b])
                before[a][b] += over
                # Strict and complete ballots that do not rank a above b rank b above a.
                strict = ballots.strict and present is None
                before[b][a] += total - over if strict else count_rows(block[b] < block[a])
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


def find_condorcet_winner(candidates: Sequence[str], preferences: Matrix) -> str | None:
    """Return the winner of all head-to-head contests, or None."""
    for a, name in enumerate(candidates):
        if all(preferences[a][b] > preferences[b][a] for b in range(len(candidates)) if b != a):
            return name
    return None


def find_smith_set(candidates: Sequence[str], preferences: Matrix) -> tuple[str, ...]:
    """Return the smallest set of candidates that all beat everyone outside it."""
    size = len(candidates)
    losses = [sum(preferences[b][a] > preferences[a][b] for b in range(size)) for a in range(size)]
    wins = [sum(preferences[a][b] > preferences[b][a] for b in range(size)) for a in range(size)]
    # The candidate with the best balance is inside, and so is everyone a member does not beat.
    inside = {max(range(size), key=lambda a: wins[a] - losses[a])}
    queue = list(inside)
    while queue:
        member = queue.pop()
        for other in range(size):
            if other not in inside and preferences[member][other] <= preferences[other][member]:
                inside.add(other)
                queue.append(other)
    return tuple(candidates[a] for a in sorted(inside))


def describe_pair(candidates: Sequence[str], preferences: Matrix, a: str, b: str) -> str:
    """Describe one pair, without a full stop: Ada beats Ben 12 to 9."""
    row, column = candidates.index(a), candidates.index(b)
    votes, against = preferences[row][column], preferences[column][row]
    if votes == against:
        return f"{a} and {b} tie {format_number(votes)} to {format_number(against)}"
    if votes < against:
        a, b, votes, against = b, a, against, votes
    return f"{a} beats {b} {format_number(votes)} to {format_number(against)}"
