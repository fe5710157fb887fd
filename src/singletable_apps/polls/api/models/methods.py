"""The other methods, which stand beside the instant runoff."""

from __future__ import annotations

from pydantic import Field

from singletable_apps.counting import Result, SchulzeResult, ScoreResult
from singletable_apps.polls.api.models.base import Shown, absent_if_none
from singletable_apps.polls.api.models.rounds import whole
from singletable_apps.shared.counted import could_win

TIED = "Who is first: several if they are tied, nobody if there are no votes."
WINNER = "Who is first, if it is one alone."


class PluralityShown(Shown):
    """First choices alone."""

    votes: dict[str, int]
    winners: list[str] = Field(description=TIED)
    winner: str | None = absent_if_none(WINNER)

    @classmethod
    def of(cls, result: ScoreResult) -> PluralityShown:
        """The count."""
        first = first_of(result)
        return cls(votes=whole(result.scores), winners=first, winner=alone(first))


class SchulzeShown(Shown):
    """Who beats whom head to head, over the strongest chains."""

    places: list[list[str]] = Field(description="Best first; those in one list are level.")
    winners: list[str] = Field(description=TIED)
    winner: str | None = absent_if_none(WINNER)
    condorcet_winner: str | None = absent_if_none("Who beats every other head to head.")

    @classmethod
    def of(cls, result: SchulzeResult) -> SchulzeShown:
        """The count."""
        first = first_of(result)
        return cls(
            places=[list(place.candidates) for place in result.places],
            winners=first,
            winner=alone(first),
            condorcet_winner=result.condorcet_winner,
        )


def first_of(result: Result) -> list[str]:
    """Who is first; nobody if there are no votes."""
    return list(could_win(result)) if result.account.cast else []


def alone(first: list[str]) -> str | None:
    """The one who is first; None if several are."""
    return first[0] if len(first) == 1 else None
