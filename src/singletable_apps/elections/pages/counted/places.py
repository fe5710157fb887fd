"""The places, with what stands behind each: whom one beats, and by whom one is beaten."""

from __future__ import annotations

from dataclasses import dataclass

from singletable_apps.elections.pages.counted.model import Count


@dataclass(frozen=True, slots=True)
class Standing:
    """A candidate in a place, and how many of the others it beats, equals, and loses to."""

    name: str
    won: int
    level: int
    lost: int


@dataclass(frozen=True, slots=True)
class SharedPlace:
    """A place and those in it, in the order that ties go by if there is one."""

    place: int
    standings: tuple[Standing, ...]
    is_tied: bool
    is_broken: bool


def places(count: Count) -> list[SharedPlace]:
    """All places, the first one first."""
    result = count.result
    order = {name: at for at, name in enumerate(result.final_order)}
    return [
        SharedPlace(
            place.place,
            tuple(
                _standing(count, name)
                for name in sorted(place.candidates, key=lambda name: order.get(name, 0))
            ),
            len(place.candidates) > 1,
            bool(order),
        )
        for place in result.places
    ]


def _standing(count: Count, name: str) -> Standing:
    result = count.result
    at = result.candidates.index(name)
    pairs = [
        (result.preferences[at][other], result.preferences[other][at])
        for other in range(len(result.candidates))
        if other != at
    ]
    won = sum(votes > against for votes, against in pairs)
    lost = sum(votes < against for votes, against in pairs)
    return Standing(name, won, len(pairs) - won - lost, lost)
