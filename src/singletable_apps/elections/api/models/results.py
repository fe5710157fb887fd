"""Tallies, ballots as they are published, and proofs."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from singletable_apps.elections.api.models.voting import ClosingShown, InclusionShown, Levels
from singletable_apps.elections.rules import Shown
from singletable_apps.shared.web import Model, Page

# A vote may be split, so that a number of votes may be a fraction.
Votes = int | str
WARNING = (
    "{share:.0%} of these ballots are like no other: who knows what somebody ranked may find out "
    "which ballot is theirs."
)


class RuleShown(Model):
    """A choice that may change the result."""

    about: str
    choice: str
    sentence: str


class AccountShown(Model):
    """Where each ballot went."""

    cast: int
    blank: int
    counted: Votes
    exhausted: dict[str, Votes]


class PlaceShown(Model):
    """Those who share a place; after two firsts comes a third."""

    place: int
    candidates: list[str]


class MarginShown(Model):
    """How many ballots would have to be different for somebody else to win."""

    at_least: int
    at_most: int | None
    why: str
    kind: str


class TieBreakShown(Model):
    """The order that ties are broken by."""

    seed: str
    order: list[str]
    digests: list[str]


class CountShown(BaseModel):
    """What every count gives; each method adds what is its own, as matrices, paths or rounds."""

    model_config = ConfigDict(extra="allow")

    format: str
    version: int
    method: str
    candidates: list[str]
    rules: list[RuleShown]
    account: AccountShown
    places: list[PlaceShown]
    margin: MarginShown | None
    tie_break: TieBreakShown | None
    final_order: list[str]
    explanation: list[str] = Field(description="The count in sentences.")
    winners: list[str] = Field(description="Who is in the first place: several if they are tied.")
    winner: str | None = Field(description="Who wins, by a broken tie if need be.")


class TallyShown(Model):
    """How an election stands, or has ended."""

    election_name: str
    ballots_cast: int
    shown: list[Shown] = Field(description="What may be seen of the ballots.")
    unique_share: float = Field(description="The share of ballots that are like no other.")
    closing: ClosingShown | None = Field(description="What was signed at the close.")
    result: CountShown


class PublishedBallotShown(Model):
    """A ballot as far as it may be seen; what may not is null."""

    ranking: Levels
    confirmation: str | None
    voter_name: str | None
    when_cast: datetime | None


class BallotPage(Page[PublishedBallotShown]):
    """Ballots in an order that tells nothing; while votes come in, pages may overlap."""

    unique_share: float = Field(description="The share of ballots that are like no other.")
    warning: str | None = Field(description="What that means for the secrecy of these ballots.")


class CheckableBallot(Model):
    """A ballot that anyone can check against its confirmation."""

    confirmation: str
    nonce: str
    ranking: Levels


class PublishedFile(Model):
    """What everybody may have after the close, and check."""

    format: str
    closing: ClosingShown
    confirmations: list[str]
    rankings: list[Levels] | None
    ballots: list[CheckableBallot] | None


class ProofShown(Model):
    """That a confirmation is among those that were signed."""

    confirmation: str
    proof: InclusionShown
    closing: ClosingShown


class KeyShown(Model):
    """The key that signatures are checked with, and its code, which people compare."""

    public_key: str
    fingerprint: str
    readable: str = Field(description="The fingerprint in groups of four, for eyes.")


class EventShown(Model):
    """Something that happened."""

    event_id: int
    actor: str
    when_occurred: datetime
    event_type: str
    event_data: dict[str, Any]
    previous_hash: str
    hash: str


class EventPage(Page[EventShown]):
    """Events, the newest first."""

    hidden: list[str] = Field(description="Fields of `event_data` that nobody is shown.")


class RawTableShown(Model):
    """A table as it is stored."""

    name: str
    what: str


class ColumnShown(Model):
    """A column of a relation."""

    name: str
    kind: str
    optional: bool
    what: str


class RelationShown(Model):
    """A relation: the same as the tables, without keys."""

    name: str
    what: str
    columns: list[ColumnShown]


class RowPage(Page[dict[str, Any]]):
    """Rows, or items as they are stored."""
