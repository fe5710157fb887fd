"""A count of points in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from singletable_apps.counting.explaining.frame import (
    closing,
    is_told_by_opening,
    opening,
)
from singletable_apps.counting.result import Place
from singletable_apps.counting.results.scores import ScoreResult
from singletable_apps.counting.text import format_ordinal, join_names, pluralize


def explain_scores(result: ScoreResult, unit: str) -> Iterator[str]:
    """Why everybody is where they are; `unit` is what a score is a number of."""
    yield from opening(result)
    if not is_told_by_opening(result):
        for reason, ballots in result.account.exhausted.items():
            if ballots:
                yield f"{pluralize(ballots, 'ballot')} could not be counted ({reason})."
        for place in result.places:
            yield place_by_score(result, place, unit)
    yield from closing(result)


def place_by_score(result: ScoreResult, place: Place, unit: str) -> str:
    """A place, who is in it, and with how many points."""
    name, *others = place.candidates
    score = pluralize(result.scores[name], unit)
    if others:
        return (
            f"{join_names(place.candidates)} are tied for the {format_ordinal(place.place)} "
            "place with "
            f"{score} each."
        )
    if place.place == 1:
        return f"{name} wins with {score}."
    return f"{name} is {format_ordinal(place.place)} with {score}."
