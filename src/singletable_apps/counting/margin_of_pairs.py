"""Margins of victory that follow from the pairs alone.

Changing one ballot moves the difference of a pair by at most two. So a candidate who beats everyone
keeps beating everyone while fewer than half of the smallest difference are changed. And whoever is
beaten by nobody wins, alone or not; so it is enough to change, for each who beats a challenger,
half of the difference: on ballots that rank the challenger below, who is put on top of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from singletable_apps.counting.margin import Margin
from singletable_apps.counting.pairwise import Matrix, Pairwise
from singletable_apps.counting.rules import Strength
from singletable_apps.counting.text import pluralize


def half(difference: int) -> int:
    """The fewest changed ballots that can use up a difference, each moving it by two."""
    return -(-difference // 2)


def margin_of_pairs(
    sums: Pairwise,
    preferences: Matrix,
    winner: int,
    *,
    gaps: Sequence[int] = (),
    strength: Strength = "winning",
    strictly: bool = False,
) -> Margin | None:
    """The margin of a winner by pairs; None for an only candidate.

    `gaps` are differences between strengths that the result rests on beside who beats whom.
    `strictly` says that a challenger must beat everyone to be sure of winning.
    """
    candidates = sums.candidates
    others = [other for other in range(len(candidates)) if other != winner]
    if not others:
        return None
    enough = [_to_unbeaten(preferences, other, strictly=strictly) for other in others]
    at_most = min(sums.cast, *enough)
    closest = min(others, key=lambda other: _difference(preferences, winner, other))
    smallest = _difference(preferences, winner, closest)
    if smallest > 0:
        why = (
            f"{candidates[winner]} beats everyone head to head, {candidates[closest]} most "
            f"narrowly by {pluralize(smallest, 'ballot')}, and a changed ballot can move that "
            "by two"
        )
        return Margin(half(smallest), at_most, why)
    at_least = max(1, _undisturbed(preferences, gaps, strength))
    why = "with fewer changed ballots no victory turns round and no two strengths change places"
    return Margin(at_least, at_most, why)


def _undisturbed(preferences: Matrix, gaps: Sequence[int], strength: Strength) -> int:
    """So many changed ballots are needed for a victory to turn, or two strengths to meet."""
    size = range(len(preferences))
    turns = [half(abs(_difference(preferences, a, b))) for a in size for b in range(a)]
    # Two numbers of votes come closer by two for a changed ballot, two margins by four.
    meets = [half(gap) if strength == "winning" else -(-gap // 4) for gap in gaps]
    return min([*turns, *meets])


def _to_unbeaten(preferences: Matrix, challenger: int, *, strictly: bool) -> int:
    """Enough changed ballots for nobody to beat the challenger."""
    behind = [
        _difference(preferences, other, challenger) + strictly
        for other in range(len(preferences))
        if other != challenger
    ]
    return sum(half(difference) for difference in behind if difference > 0)


def _difference(preferences: Matrix, a: int, b: int) -> int:
    return preferences[a][b] - preferences[b][a]
