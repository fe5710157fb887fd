"""What the methods share that add up a score for each candidate: the most points win."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import ceil

from singletable_apps.counting.margin import Margin
from singletable_apps.counting.result import Number, Place, places_of


def places_by_score(scores: Mapping[str, Number]) -> tuple[Place, ...]:
    """Places by points; those with equal points share one."""
    levels: dict[Number, list[str]] = {}
    for name, points in scores.items():
        levels.setdefault(points, []).append(name)
    return places_of([levels[points] for points in sorted(levels, reverse=True)])


def margin_by_score(
    scores: Mapping[str, Number], most: int, *, sure: bool, why: str
) -> Margin | None:
    """The margin if one changed ballot can move the difference of two by `most`; None for a tie.

    `sure` says that there are enough ballots that do move it by as much.
    """
    first, second, *_ = [*sorted(scores.values(), reverse=True), None]
    if first is None or second is None or first == second:
        return None
    ballots = ceil(Fraction(first - second) / most)
    return Margin(ballots, ballots if sure else None, why)
