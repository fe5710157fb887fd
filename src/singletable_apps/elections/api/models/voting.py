"""Ballots and receipts."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field

from singletable_apps.elections.api.models.base import Name
from singletable_apps.elections.proofs import readable
from singletable_apps.elections.service import Cast
from singletable_apps.elections.states import Publication
from singletable_apps.shared.web import Model

Levels = list[list[str]]
Rank = Annotated[int, Field(strict=True, ge=1, le=1000)]


class RankedCandidate(Model):
    """A line of a ballot."""

    candidate_name: Name = Field(examples=["Assam"])
    rank: Rank | None = Field(None, description="1 is best; equal ranks are fine; null is none.")


class NewBallot(Model):
    """What somebody votes."""

    rankings: list[RankedCandidate] = Field(min_length=1, max_length=100)


class Rankings(Model):
    """One's own ballot with every candidate there is."""

    rankings: list[RankedCandidate]


class DefinitionShown(Model):
    """What a voter was asked."""

    election_id: int
    candidates: list[str]
    secret: bool
    level: Publication
    commitment: str


class StatementShown(Model):
    """What is said when an election closes."""

    format: str
    name: str
    definition: DefinitionShown
    earlier: list[str]
    ballots: int
    root: str
    rankings: str | None
    secret: str
    rules: dict[str, str]
    closed_at: str


class ClosingShown(Model):
    """A signed statement, and the key to check it with."""

    statement: StatementShown
    signature: str
    public_key: str


class InclusionShown(Model):
    """The neighbours that lead from a confirmation to the root that was signed."""

    index: int
    size: int
    path: list[str]


class ReceiptShown(Model):
    """A ballot as its voter keeps it; `closing` and `proof` are null until the close."""

    format: str
    name: str
    definition: DefinitionShown
    nonce: str
    ranking: Levels
    confirmation: str
    closing: ClosingShown | None
    proof: InclusionShown | None


class BallotShown(Model):
    """A ballot of somebody."""

    election_name: str
    voter_name: str
    when_cast: datetime
    ranking: Levels = Field(description="Best first; names in one list are level.")
    confirmation: str
    readable: str = Field(description="The confirmation in groups of four, for eyes.")

    @classmethod
    def of(cls, cast: Cast) -> BallotShown:
        """The ballot without its receipt, which is the voter's alone."""
        return cls(
            election_name=cast.election_name,
            voter_name=cast.voter_name,
            when_cast=cast.when_cast,
            ranking=cast.receipt["ranking"],
            confirmation=cast.receipt["confirmation"],
            readable=readable(cast.receipt["confirmation"]),
        )


class OwnBallot(BallotShown):
    """One's own ballot, with its receipt."""

    receipt: ReceiptShown

    @classmethod
    def of(cls, cast: Cast) -> OwnBallot:
        """The ballot with its receipt."""
        shown = BallotShown.of(cast).model_dump()
        return cls(**shown, receipt=ReceiptShown.model_validate(cast.receipt))
