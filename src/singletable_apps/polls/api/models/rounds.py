"""The rounds of an instant runoff."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from singletable_apps.counting import Number, Round, Tie
from singletable_apps.polls.api.models.base import Shown, absent_if_none


class TransferShown(Shown):
    """Votes that went on when an option was eliminated."""

    to: str | None = absent_if_none("The option they went to; absent if they rank no other.")
    votes: int


class TieShown(Shown):
    """A tie for the last place, and what broke it."""

    tied: list[str]
    broken_by: str = Field(
        description="`earlier rounds`, or `seed`: the order that the id of the poll makes."
    )
    mattered: str = Field(
        description="Whether somebody else could have won: `yes`, `no`, or `not known`."
    )

    @classmethod
    def of(cls, tie: Tie) -> TieShown:
        """The tie."""
        return cls(tied=list(tie.tied), broken_by=tie.broken_by, mattered=tie.mattered)


class RoundShown(Shown):
    """One round of the instant runoff; more than half of `continuing` make a winner."""

    round_number: int
    votes: dict[str, int]
    eliminated: str | None = absent_if_none("Who leaves after this round.")
    winner: str | None = absent_if_none("Who wins in this round.")
    continuing: int = Field(description="Votes that count for somebody in this round.")
    exhausted: int = Field(description="Votes that rank nobody who is left.")
    transfers: list[TransferShown] = Field(description="Where the votes of who leaves go.")
    tie_break: TieShown | None = absent_if_none("How a tie for the last place was broken.")

    @classmethod
    def of(cls, each: Round) -> RoundShown:
        """The round."""
        moved = [TransferShown(to=one.target, votes=int(one.votes)) for one in each.transfers]
        return cls(
            round_number=each.number,
            votes=whole(each.tally),
            eliminated=each.eliminated,
            winner=each.winner,
            continuing=int(each.continuing),
            exhausted=sum(int(votes) for votes in each.exhausted.values()),
            transfers=moved,
            tie_break=None if each.tie is None else TieShown.of(each.tie),
        )


def whole(votes: Mapping[str, Number]) -> dict[str, int]:
    """Votes by option: nobody ranks two alike in a poll, so no vote is split."""
    return {name: int(number) for name, number in votes.items()}
