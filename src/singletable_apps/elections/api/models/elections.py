"""Elections, who can be voted for, and who may vote."""

from __future__ import annotations

from datetime import datetime
from typing import Self

from pydantic import ConfigDict, Field, model_validator

from singletable_apps.elections.api.models.base import Name
from singletable_apps.elections.entities import Election
from singletable_apps.elections.rules import state_of, status_of
from singletable_apps.elections.service import Changes, Terms
from singletable_apps.elections.states import Publication, State
from singletable_apps.shared.web import Model, Moment, Page, Yes, may_be_left_out

EDITABLE = "Whether candidates, voters and one's own ballot may change while votes are accepted."


class NewElection(Model):
    """An election to be set up."""

    name: Name = Field(examples=["Best tea"])
    secret_ballot: Yes = Field(False, description="Whether ballots are sealed.")
    publication: Publication | None = Field(
        None, description="What is published at the end; null is what goes with the secrecy."
    )
    no_voting_before: Moment | None = Field(None, description="Votes are accepted from then on.")
    no_voting_after: Moment | None = Field(None, description="Votes are accepted until then.")

    def terms(self) -> Terms:
        """What is settled."""
        return Terms(
            secret_ballot=self.secret_ballot,
            publication=self.publication,
            no_voting_before=self.no_voting_before,
            no_voting_after=self.no_voting_after,
        )


class ElectionChanges(Model):
    """What is to be another about an election, all of it or nothing; what is left out stays."""

    name: Name = may_be_left_out("Another name; all that is in the election follows.")
    secret_ballot: Yes = may_be_left_out("Whether ballots are sealed; before launch.")
    publication: Publication = may_be_left_out("What is published at the end; before launch.")
    no_voting_before: Moment | None = may_be_left_out("When voting opens; null is at launch.")
    no_voting_after: Moment | None = may_be_left_out("When voting ends; null is at the close.")

    model_config = ConfigDict(
        json_schema_extra={"minProperties": 1, "examples": [{"secret_ballot": True}]}
    )

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.model_fields_set:
            raise ValueError("Expected something that is to be another")
        return self

    def changes(self) -> Changes:
        """What was said, and nothing else."""
        return Changes(**{field: getattr(self, field) for field in self.model_fields_set})


class ElectionShown(Model):
    """An election, and how it stands."""

    name: str
    owner_name: str
    state: State
    status: str = Field(description="The state in words.", examples=["Waiting for launch"])
    secret_ballot: bool
    publication: Publication
    no_voting_before: datetime | None
    no_voting_after: datetime | None
    allow_edit: bool
    allow_vote: bool
    candidate_count: int
    voter_count: int = Field(description="0 is everybody whose role lets them vote.")
    when_created: datetime
    tie_commitment: str | None = Field(
        description="The digest of the secret that will order ties, from launch on."
    )
    revision: int = Field(description="The number in the ETag.")

    @classmethod
    def of(cls, election: Election, now: datetime) -> ElectionShown:
        """The election as it stands now."""
        return cls(
            name=election.name,
            owner_name=election.owner_name,
            state=state_of(election),
            status=status_of(election, now),
            secret_ballot=election.secret_ballot,
            publication=election.publication,
            no_voting_before=election.no_voting_before,
            no_voting_after=election.no_voting_after,
            allow_edit=election.allow_edit,
            allow_vote=election.allow_vote,
            candidate_count=election.candidate_count,
            voter_count=election.voter_count,
            when_created=election.when_created,
            tie_commitment=election.tie_commitment,
            revision=election.revision,
        )


class Launch(Model):
    """How an election is launched."""

    allow_edit: Yes = Field(description=EDITABLE, examples=[True])


class Owner(Model):
    """Whose an election is to be."""

    owner: Name = Field(examples=["Ada"])


class Candidates(Model):
    """Those who can be voted for, by name."""

    candidate_names: list[Name] = Field(max_length=100, examples=[["Assam", "Ceylon"]])


class VoterNames(Model):
    """Those who may vote; none is everybody whose role lets them."""

    voter_names: list[Name] = Field(max_length=10_000, examples=[["Ada", "Ben"]])


class VoterList(Model):
    """How many may vote."""

    everybody: bool = Field(description="Whether there is no list: every VOTER and above may.")
    voter_count: int


class VoterPage(Page[str]):
    """Some of those who may vote."""

    everybody: bool = Field(description="Whether there is no list: every VOTER and above may.")


class Eligibility(Model):
    """Whether somebody may vote in an election."""

    user_name: str
    eligible: bool


class Counts(Model):
    """How many there are."""

    users: int
    elections: int


class Version(Model):
    """A number that moves when anything changes: ask for it often, and then for the rest."""

    version: int
    rebuilding: bool = Field(description="Whether the table is being built anew; ask again soon.")
