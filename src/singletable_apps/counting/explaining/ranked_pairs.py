"""A Ranked Pairs count in sentences: each victory, and each place by what is locked above it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from singletable_apps.counting.explaining.frame import (
    closing,
    is_told_by_opening,
    opening,
)
from singletable_apps.counting.explaining.pairs import condorcet
from singletable_apps.counting.result import Place
from singletable_apps.counting.results.ranked_pairs import RankedPair, RankedPairsResult
from singletable_apps.counting.text import format_number, format_ordinal, join_names


def explain_ranked_pairs(result: RankedPairsResult) -> Iterator[str]:
    """Why everybody is where they are."""
    yield from opening(result)
    if not is_told_by_opening(result):
        yield from condorcet(
            result.candidates, result.preferences, result.condorcet_winner, result.smith_set
        )
        for pair in result.pairs:
            yield _judged(result, pair)
        yield _first(result.places[0])
        for before, place in pairwise(result.places):
            yield from _later(result, before, place)
    yield from closing(result)


def _judged(result: RankedPairsResult, pair: RankedPair) -> str:
    said = (
        f"{pair.winner} beats {pair.loser} {format_number(pair.votes)} to "
        f"{format_number(pair.against)}: "
    )
    if pair.locked:
        by_order = ", for it comes before equal ones that contradict it" if pair.by_order else ""
        return f"{said}locked{by_order}."
    circle = " over ".join(pair.cycle)
    if not pair.by_order:
        return f"{said}skipped, for it would close the circle {circle}."
    if result.tie_break is None:
        return f"{said}left out with others as strong, for together they close the circle {circle}."
    return f"{said}skipped, for equal ones before it make it close the circle {circle}."


def _first(place: Place) -> str:
    if len(place.candidates) == 1:
        return f"{place.candidates[0]} wins: nobody is locked above {place.candidates[0]}."
    return (
        f"{join_names(place.candidates)} are tied for the 1st place: nobody is locked above them."
    )


def _later(result: RankedPairsResult, before: Place, place: Place) -> Iterator[str]:
    if len(place.candidates) > 1:
        yield (
            f"{join_names(place.candidates)} are tied for the {format_ordinal(place.place)} "
            "place: none of "
            "them is locked above another."
        )
    for name in place.candidates:
        above = next(
            pair.winner
            for pair in result.pairs
            if pair.locked and pair.loser == name and pair.winner in before.candidates
        )
        yield f"{name} is {format_ordinal(place.place)}: {above} is locked above {name}."
