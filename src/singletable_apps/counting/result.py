"""What every count gives: the rules it used, where each ballot went, and the places."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

from singletable_apps.counting.document import document
from singletable_apps.counting.margin import Margin
from singletable_apps.counting.tie_break import TieBreak

# A vote may be split between candidates that stand level: never a float.
Number: TypeAlias = int | Fraction


@dataclass(frozen=True, slots=True)
class Rule:
    """A choice that may change the result: what it is about, what was chosen, and in a sentence."""

    about: str
    choice: str
    sentence: str


@dataclass(frozen=True, slots=True)
class BallotAccount:
    """Where each ballot went: cast = blank + counted + all that are exhausted.

    `exhausted` has a number for each reason. Only a count in rounds exhausts ballots; there,
    `counted` are those that counted for somebody in the last round.
    """

    cast: int
    blank: int
    counted: Number
    exhausted: dict[str, Number] = field(default_factory=dict[str, Number])


@dataclass(frozen=True, slots=True)
class Place:
    """Those who share a place; after two firsts comes a third."""

    place: int
    candidates: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What the results of all methods have in common.

    `margin` is None where several are tied, or nobody else stands. `final_order` breaks the ties
    between those who share a place, if there was a seed for it; it is empty otherwise, and whoever
    shares the first place is tied.
    """

    method: str
    candidates: tuple[str, ...]
    rules: tuple[Rule, ...]
    account: BallotAccount
    places: tuple[Place, ...]
    margin: Margin | None = None
    tie_break: TieBreak | None = None
    final_order: tuple[str, ...] = ()
    explanation: tuple[str, ...] = ()

    @property
    def winners(self) -> tuple[str, ...]:
        """Who is in the first place: several if they are tied."""
        return self.places[0].candidates

    @property
    def winner(self) -> str | None:
        """The one who wins, by a broken tie if need be; None if several are tied."""
        if self.final_order:
            return self.final_order[0]
        return self.winners[0] if len(self.winners) == 1 else None

    def to_json(self) -> str:
        """All of it as JSON: the same ballots under the same rules give the same bytes."""
        return document(self, winners=list(self.winners), winner=self.winner)


def places_of(levels: list[list[str]]) -> tuple[Place, ...]:
    """Levels, best first, with the numbers of their places: 1, 1, 3."""
    places: list[Place] = []
    taken = 0
    for level in levels:
        places.append(Place(taken + 1, tuple(level)))
        taken += len(level)
    return tuple(places)


def final_order(places: tuple[Place, ...], ties: TieBreak | None) -> tuple[str, ...]:
    """Everybody in one line, ties broken by the order; nobody if there is none."""
    if ties is None:
        return ()
    return tuple(
        name for place in places for name in sorted(place.candidates, key=ties.order.index)
    )
