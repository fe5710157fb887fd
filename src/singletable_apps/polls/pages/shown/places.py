"""The ranking: who is in which place, and what they had when they left."""

from __future__ import annotations

from dataclasses import dataclass

from singletable_apps.counting import Round, RunoffResult, pluralize
from singletable_apps.polls.pages.shown.headline import all_level
from singletable_apps.shared.counted import in_order


@dataclass(frozen=True, slots=True)
class Placed:
    """An option, its place, and what that rests on; those who are tied share a place."""

    place: int
    name: str
    meta: str


def places_of(runoff: RunoffResult) -> list[Placed]:
    """All options, the best first."""
    if not runoff.rounds:
        return []
    left = {each.eliminated: each for each in runoff.rounds}
    level = all_level(runoff)
    shared = {} if level is None else dict.fromkeys(level.tally, level)
    places = {name: place.place for place in runoff.places for name in place.candidates}
    places |= dict.fromkeys(shared, 1)
    return [
        Placed(places[name], name, _meta(runoff, name, shared, left)) for name in in_order(runoff)
    ]


def _meta(
    runoff: RunoffResult, name: str, shared: dict[str, Round], left: dict[str | None, Round]
) -> str:
    if name in shared:
        return f"tied, with {pluralize(shared[name].tally[name], 'vote')}"
    last = runoff.rounds[-1]
    if name in last.tally:
        which = "the last" if last.number > 1 else "the only"
        return f"{pluralize(last.tally[name], 'vote')} in {which} round"
    return f"left in round {left[name].number}, with {pluralize(left[name].tally[name], 'vote')}"
