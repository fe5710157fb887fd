"""What every count returns: rules, what happened to each ballot, places and margin."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, TypeAlias

import msgspec

from ranked_ballots.tie_break import TieBreak

# A vote may be split between candidates with equal ranks: always exact, never a float.
Number: TypeAlias = int | Fraction
JSON_VERSION = 1


@dataclass(frozen=True, slots=True)
class Rule:
    """A choice that can change the result: its subject, what was chosen, and a full sentence."""

    about: str
    choice: str
    sentence: str


@dataclass(frozen=True, slots=True)
class BallotAccount:
    """Where each ballot went: cast = blank + counted + exhausted.

    `exhausted` has a number for each reason. Only counts in rounds exhaust ballots; for them,
    `counted` is the number of ballots that counted for a candidate in the last round.
    """

    cast: int
    blank: int
    counted: Number
    exhausted: dict[str, Number] = field(default_factory=dict[str, Number])


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the ranking, with its candidates. If two share 1st place, 3rd place is next."""

    place: int
    candidates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Margin:
    """How many ballots would have to be different for someone else to win or share the win.

    Changing fewer than `at_least` ballots cannot change the winner. Changing `at_most` ballots
    could; None if no such number is known. The margin is exact where the two are equal. Then
    `makes_tie` says whether that many ballots could make a tie at most.
    """

    at_least: int
    at_most: int | None
    why: str
    kind: Literal["exact", "bound"] = "bound"
    makes_tie: Literal["yes", "no", "not known"] = "not known"

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", "exact" if self.at_least == self.at_most else "bound")
        if self.kind == "bound":
            object.__setattr__(self, "makes_tie", "not known")


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The fields that the results of all methods have.

    `margin` is None for a tie or a single candidate. `final_order` lists all candidates with ties
    broken by the seed; it is empty without a seed, and then candidates who share 1st place are
    tied. `explanation` gives the reasons in sentences; `explain` words them for an open vote.
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
        """Return the candidates in 1st place, several if they are tied."""
        return self.places[0].candidates

    @property
    def winner(self) -> str | None:
        """Return the winner, after breaking a tie if there is a seed; None if tied."""
        if self.final_order:
            return self.final_order[0]
        return self.winners[0] if len(self.winners) == 1 else None

    @property
    def ranked_candidates(self) -> tuple[str, ...]:
        """Return all candidates, best first: the final order if there is one, else by place."""
        return self.final_order or tuple(name for place in self.places for name in place.candidates)

    @property
    def place_numbers(self) -> dict[str, int]:
        """Return the number of each candidate's place."""
        return {name: place.place for place in self.places for name in place.candidates}

    def to_json(self) -> str:
        """Return the result as JSON; the same ballots and rules give the same bytes.

        Keys are sorted. Fractions are text such as "7/2", and numbers are never rounded.
        """
        fields: dict[str, object] = msgspec.to_builtins(self, enc_hook=_encode_fraction)
        document = {
            "format": "singletable count",
            "version": JSON_VERSION,
            **fields,
            "winners": list(self.winners),
            "winner": self.winner,
        }
        return json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def number_places(levels: list[list[str]]) -> tuple[Place, ...]:
    """Return places for levels of candidates, best first, numbered 1, 1, 3."""
    places: list[Place] = []
    taken = 0
    for level in levels:
        places.append(Place(taken + 1, tuple(level)))
        taken += len(level)
    return tuple(places)


def break_ties(places: tuple[Place, ...], tie_break: TieBreak | None) -> tuple[str, ...]:
    """Return all candidates in one order, ties broken; empty without a tie-break."""
    if tie_break is None:
        return ()
    return tuple(
        name for place in places for name in sorted(place.candidates, key=tie_break.order.index)
    )


def _encode_fraction(value: object) -> int | str:
    if not isinstance(value, Fraction):
        raise TypeError(f"A {type(value).__name__} cannot be encoded as JSON.")
    return value.numerator if value.denominator == 1 else str(value)
