"""What is settled about an election, as somebody chooses it: plain words for each choice."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field, ValidationInfo, field_validator

from singletable_apps.elections.entities import Election
from singletable_apps.elections.rules import default_publication
from singletable_apps.elections.service import Changes, Terms
from singletable_apps.elections.states import Publication

USUAL = "usual"

# (value, name, what it means)
BALLOTS = (
    (
        "open",
        "Open ballot",
        "Like raised hands: the count is live from the first ballot on, and when everything is "
        "published, names stand beside what they voted. Right for small decisions among people "
        "who know each other.",
    ),
    (
        "secret",
        "Secret ballot",
        "Ballots are sealed as they are cast. Everybody sees who has voted; nobody sees what, not "
        "even auditors. It is counted once, when it has closed.",
    ),
)
PUBLICATIONS = (
    (
        USUAL,
        "What suits the ballot",
        "Of a secret ballot totals only; of an open one everything, with names.",
    ),
    (
        "totals",
        "Totals only",
        "Who won, and how many ranked whom above whom. No single ballot is ever shown.",
    ),
    (
        "anonymous",
        "Ballots without names",
        "All rankings, shuffled, so that everybody can count again.",
    ),
    (
        "confirmations",
        "Ballots with their confirmation codes",
        "All rankings beside the code on each voter's receipt: everybody can count again, and find "
        "their own. Of an open ballot with names, too.",
    ),
)

# What is settled, said of an election that has it.
BALLOT_WORDS = {
    False: "Open: the count is live while people vote.",
    True: "Secret: sealed as they are cast, and counted when the election has closed.",
}
PUBLISHED_WORDS = {
    Publication.TOTALS: "Totals only; no single ballot is ever shown.",
    Publication.ANONYMOUS: "All ballots, without names, so that everybody can count again.",
    Publication.CONFIRMATIONS: "All ballots with their confirmation codes, so that everybody can "
    "count again and find their own.",
}
WITH_NAMES = "All ballots with their confirmation codes and the names of who cast them."


class TypedTerms(BaseModel):
    """What somebody settles."""

    ballot: Literal["open", "secret"]
    publication: Literal["usual", "totals", "anonymous", "confirmations"]
    no_voting_before: datetime | None = None
    no_voting_after: datetime | None = None

    @field_validator("no_voting_after")
    @classmethod
    def _comes_after(cls, after: datetime | None, info: ValidationInfo) -> datetime | None:
        before: datetime | None = info.data.get("no_voting_before")
        # The rules say so too, in UTC; who types sees their own zone.
        if before is not None and after is not None and before >= after:
            raise ValueError("Choose a time after it opens, or leave one of the two empty.")
        return after

    @property
    def secret(self) -> bool:
        """Whether ballots are to be sealed."""
        return self.ballot == "secret"

    @property
    def published(self) -> Publication:
        """What is to be published."""
        if self.publication == USUAL:
            return default_publication(self.secret)
        return Publication(self.publication)


class TypedElection(TypedTerms):
    """A name, and what is settled."""

    name: Annotated[str, Field(min_length=1)]

    def terms(self) -> Terms:
        """What is settled, for an election that is new."""
        return Terms(self.secret, self.published, self.no_voting_before, self.no_voting_after)

    def changes(self) -> Changes:
        """What is settled from now on, for one that is there."""
        return Changes(
            self.name, self.secret, self.published, self.no_voting_before, self.no_voting_after
        )


class TypedName(BaseModel):
    """Another name."""

    name: Annotated[str, Field(min_length=1)]


def published_words(election: Election) -> str:
    """What is published of the election at the end."""
    if not election.secret_ballot and election.publication is Publication.CONFIRMATIONS:
        return WITH_NAMES
    return PUBLISHED_WORDS[election.publication]


def values_of(election: Election) -> dict[str, str | datetime | None]:
    """What stands in the form of an election."""
    return {
        "name": election.name,
        "ballot": "secret" if election.secret_ballot else "open",
        "publication": election.publication.value,
        "no_voting_before": election.no_voting_before,
        "no_voting_after": election.no_voting_after,
        "revision": str(election.revision),
    }
