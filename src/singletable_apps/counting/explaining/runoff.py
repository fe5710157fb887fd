"""An instant runoff in sentences: who goes and why, and where the votes went."""

from __future__ import annotations

from collections.abc import Iterator

from singletable_apps.counting.explaining.frame import (
    closing,
    is_told_by_opening,
    opening,
)
from singletable_apps.counting.result import Number, Place
from singletable_apps.counting.results.runoff import Round, RunoffResult, Tie
from singletable_apps.counting.text import format_number, format_ordinal, join_names, pluralize

_BROKEN_BY = {
    "seed": "the seed's order decides",
    "earlier rounds": "the votes of earlier rounds decide",
    "candidate order": "the order of the candidates decides",
    "nothing": "nothing was agreed on that would decide",
}
_MATTERED = {
    "yes": "It matters: another choice would let somebody else win.",
    "no": "It does not matter for who wins: every choice leads to the same winner.",
    "not known": "Whether it matters is not known: there are too many ways to look at.",
}


def explain_runoff(result: RunoffResult) -> Iterator[str]:
    """Why everybody is where they are."""
    yield from opening(result)
    if not is_told_by_opening(result):
        for each in result.rounds:
            yield from _round(each)
        if result.winner is None or result.rounds[-1].winner is None:
            yield _undecided(result)
        for place in result.places[1:]:
            yield _place(result, place)
    yield from closing(result)


def _round(each: Round) -> Iterator[str]:
    tally = [f"{name} {format_number(votes)}" for name, votes in _by_votes(each)]
    yield f"Round {each.number}: {', '.join(tally)}."
    if each.winner is not None and not each.continuing:
        yield f"No ballot counts any more; {each.winner} is the last one left, and wins."
        return
    if each.winner is not None:
        yield (
            f"{each.winner} has {format_number(each.tally[each.winner])} of "
            f"{pluralize(each.continuing, 'continuing ballot')}, more than half, and wins."
        )
        return
    if each.tie is not None:
        yield from _tie(each.tie, each)
    if each.eliminated is not None:
        yield f"{_reason(each)}{_moved(each)}."


def _by_votes(each: Round) -> list[tuple[str, Number]]:
    return sorted(each.tally.items(), key=lambda pair: -pair[1])


def _tie(tie: Tie, each: Round) -> Iterator[str]:
    votes = pluralize(each.tally[tie.tied[0]], "vote")
    yield (
        f"{join_names(tie.tied)} are tied for last with {votes} each; {_BROKEN_BY[tie.broken_by]}. "
        f"{_MATTERED[tie.mattered]}"
    )


def _reason(each: Round) -> str:
    assert each.eliminated is not None
    if each.tie is not None:
        return f"{each.eliminated} goes"
    return f"{each.eliminated} has the fewest votes and goes"


def _moved(each: Round) -> str:
    parts = [
        f"{format_number(move.votes)} to {move.target}" for move in each.transfers if move.target
    ] + [
        f"{format_number(move.votes)} to nobody ({move.reason})"
        for move in each.transfers
        if move.target is None
    ]
    return f"; the votes go {join_names(parts)}" if parts else "; there are no votes to pass on"


def _undecided(result: RunoffResult) -> str:
    names = join_names(result.winners)
    if result.possible_winners is None:
        return (
            f"So the count ends here, with {names} still standing. Give a seed, fixed before the "
            "ballots were known, to break the ties."
        )
    return (
        f"So {names} are tied: each of them wins under some way of breaking the ties. A seed, "
        "fixed before the ballots were known, would decide."
    )


def _place(result: RunoffResult, place: Place) -> str:
    went = {each.eliminated: each.number for each in result.rounds}
    name = place.candidates[0]
    if name in went:
        return f"{name} is {format_ordinal(place.place)}: out in round {went[name]}."
    last = result.rounds[-1]
    are = "is" if len(place.candidates) == 1 else "are tied and"
    return (
        f"{join_names(place.candidates)} {are} {format_ordinal(place.place)}, with "
        f"{pluralize(last.tally[name], 'vote')} in the last round."
    )
