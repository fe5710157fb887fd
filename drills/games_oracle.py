"""What a game must come to, computed from what players were told, and from nothing else.

The rules are those of the documents, written a second time in the plainest way: points of trivia
fall from all to half within the time limit, ranked answers get 3, 2 and 1 points, authors of the
same answer share them, and equal totals are decided by time.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

MEDALS = {1: 3, 2: 2, 3: 1}


def round_half_up(value: Fraction) -> int:
    """Return the nearest whole number, and the greater one of two."""
    exact = Decimal(value.numerator) / Decimal(value.denominator)
    return int(exact.quantize(Decimal(1), ROUND_HALF_UP))


def trivia_points(
    chosen: Collection[str],
    correct: Collection[str],
    seconds: float,
    limit: int | None,
    points: int = 1_000,
) -> int:
    """Return the points of an answer: all for the first half second, half at the limit."""
    if set(chosen) != set(correct):
        return 0
    if seconds < 0.5 or not limit:
        return points
    used = min(Fraction(str(seconds)) / limit, Fraction(1))
    return round_half_up(points * (1 - used / 2))


def vote_points(
    authors: Mapping[str, Collection[str]], ballots: Mapping[str, Sequence[str]]
) -> dict[str, int]:
    """Return the points of each author, for the answers that each voter ranked, best first."""
    points = dict.fromkeys(authors, 0)
    for ranking in ballots.values():
        for rank, answer in enumerate(ranking, 1):
            points[answer] += MEDALS.get(rank, 0)
    return {
        player: round_half_up(Fraction(points[answer], len(players)))
        for answer, players in authors.items()
        for player in players
    }


def places(totals: Mapping[str, tuple[int, float]]) -> dict[str, int]:
    """Return the place of each player for points and seconds: one more than those ahead."""

    def is_ahead(one: tuple[int, float], other: tuple[int, float]) -> bool:
        return (-one[0], round(one[1], 3)) < (-other[0], round(other[1], 3))

    return {
        player: 1 + sum(is_ahead(other, own) for other in totals.values())
        for player, own in totals.items()
    }
