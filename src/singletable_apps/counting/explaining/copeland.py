"""A Copeland count in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from singletable_apps.counting.explaining.frame import (
    closing,
    is_told_by_opening,
    opening,
)
from singletable_apps.counting.explaining.pairs import condorcet
from singletable_apps.counting.explaining.scores import place_by_score
from singletable_apps.counting.results.scores import CopelandResult


def explain_copeland(result: CopelandResult) -> Iterator[str]:
    """Why everybody is where they are."""
    yield from opening(result)
    if not is_told_by_opening(result):
        yield from condorcet(
            result.candidates, result.preferences, result.condorcet_winner, result.smith_set
        )
        for name in result.candidates:
            yield (
                f"{name} beats {result.won[name]}, ties with {result.tied[name]} and loses to "
                f"{result.lost[name]}."
            )
        for place in result.places:
            yield place_by_score(result, place, "point")
    yield from closing(result)
