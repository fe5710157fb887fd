"""A Schulze count in sentences: each place by the paths that decide it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from singletable_apps.counting.explaining.frame import (
    closing,
    is_told_by_opening,
    opening,
)
from singletable_apps.counting.explaining.pairs import beats, condorcet
from singletable_apps.counting.result import Place
from singletable_apps.counting.results.schulze import SchulzeResult
from singletable_apps.counting.text import format_number, format_ordinal, join_names


def explain_schulze(result: SchulzeResult) -> Iterator[str]:
    """Why everybody is where they are."""
    yield from opening(result)
    if not is_told_by_opening(result):
        yield from condorcet(
            result.candidates, result.preferences, result.condorcet_winner, result.smith_set
        )
        if result.condorcet_winner is None:
            yield (
                "So chains of victories decide. A chain is as strong as its weakest victory, and "
                "of two candidates the one with the stronger chain to the other stands higher."
            )
            yield from _first(result)
        for before, place in pairwise(result.places):
            yield from _later(result, before, place)
    yield from closing(result)


def _first(result: SchulzeResult) -> Iterator[str]:
    winner, *tied = result.winners
    if tied:
        yield f"{_tied(result, result.places[0])}."
        return
    yield f"{winner} wins: to every other candidate {winner} has the stronger chain."
    for other in result.candidates:
        if other != winner:
            yield _against(result, winner, other)


def _later(result: SchulzeResult, before: Place, place: Place) -> Iterator[str]:
    """Whoever is not in the place before was kept out of it by somebody who is."""
    if len(place.candidates) > 1:
        yield f"{_tied(result, place)}."
    for name in place.candidates:
        above = next(
            other
            for other in before.candidates
            if _strength(result, other, name) > _strength(result, name, other)
        )
        yield (
            f"{name} is {format_ordinal(place.place)}, below {above}: "
            f"{_against(result, above, name)}"
        )


def _tied(result: SchulzeResult, place: Place) -> str:
    names = place.candidates
    if len(names) == 2:
        why = "neither has a stronger chain to the other than the other has back"
    else:
        why = "none of them has a stronger chain to another of them than that one has back"
    return f"{join_names(names)} are tied for the {format_ordinal(place.place)} place: {why}"


def _against(result: SchulzeResult, a: str, b: str) -> str:
    return f"{_chain(result, a, b)}; {_chain(result, b, a)}."


def _chain(result: SchulzeResult, a: str, b: str) -> str:
    """A chain with every victory in it, and how strong that makes it."""
    path = result.path(a, b)
    if path is None:
        return f"no chain leads from {a} to {b}"
    steps = [beats(result.candidates, result.preferences, *step) for step in pairwise(path.names)]
    return f"{', '.join(steps)} (strength {format_number(path.strength)})"


def _strength(result: SchulzeResult, a: str, b: str) -> int:
    return result.strengths[result.candidates.index(a)][result.candidates.index(b)]
