"""What is sent and what is answered, with words and examples for the description."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, model_validator

from singletable_apps.elections.entities import Election, Publication, State, User
from singletable_apps.elections.proofs import format_code
from singletable_apps.elections.roles import Permission, Role
from singletable_apps.elections.rules.elections import ResultDetail, describe_status, state_of
from singletable_apps.elections.rules.users import allowed_roles
from singletable_apps.elections.service import CastBallot, ElectionEdit, ElectionSettings
from singletable_apps.shared.web import Model, Page, StrictBoolean, Timestamp, optional_field

LONGEST = 200

Name: TypeAlias = Annotated[str, Field(min_length=1, max_length=LONGEST)]
# What somebody sends as a password; whether it is good enough the service says.
Password: TypeAlias = Annotated[
    str, Field(min_length=1, max_length=LONGEST, json_schema_extra={"format": "password"})
]


EDITABLE = "Whether candidates, voters and one's own ballot may change while votes are accepted."


class NewElection(Model):
    """An election to be set up."""

    name: Name = Field(examples=["Best tea"])
    secret_ballot: StrictBoolean = Field(False, description="Whether ballots are sealed.")
    publication: Publication | None = Field(
        None, description="What is published at the end; null is what goes with the secrecy."
    )
    no_voting_before: Timestamp | None = Field(None, description="Votes are accepted from then on.")
    no_voting_after: Timestamp | None = Field(None, description="Votes are accepted until then.")

    def terms(self) -> ElectionSettings:
        """What is settled."""
        return ElectionSettings(
            secret_ballot=self.secret_ballot,
            publication=self.publication,
            no_voting_before=self.no_voting_before,
            no_voting_after=self.no_voting_after,
        )


class ElectionChanges(Model):
    """What is to be another about an election, all of it or nothing; what is left out stays."""

    name: Name = optional_field("Another name; all that is in the election follows.")
    secret_ballot: StrictBoolean = optional_field("Whether ballots are sealed; before launch.")
    publication: Publication = optional_field("What is published at the end; before launch.")
    no_voting_before: Timestamp | None = optional_field("When voting opens; null is at launch.")
    no_voting_after: Timestamp | None = optional_field("When voting ends; null is at the close.")

    model_config = ConfigDict(
        json_schema_extra={"minProperties": 1, "examples": [{"secret_ballot": True}]}
    )

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.model_fields_set:
            raise ValueError("Expected something that is to be another")
        return self

    def changes(self) -> ElectionEdit:
        """What was said, and nothing else."""
        return ElectionEdit(**{field: getattr(self, field) for field in self.model_fields_set})


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
            status=describe_status(election, now),
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

    allow_edit: StrictBoolean = Field(description=EDITABLE, examples=[True])


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


Email = Annotated[str, Field(min_length=3, max_length=200, examples=["grace@example.org"])]


class Registration(Model):
    """Somebody who wants to join."""

    name: Name = Field(description="Without an @.", examples=["Grace"])
    email: Email
    password: Password = Field(
        description="At least 12 characters.", examples=["several words in a row"]
    )


class Credentials(Model):
    """Who somebody says they are, and the password that shows it."""

    name_or_email: Annotated[str, Field(min_length=1, max_length=200)] = Field(examples=["Ada"])
    password: Password = Field(examples=["several words in a row"])


class ResetRequest(Model):
    """Who has forgotten a password."""

    name_or_email: Annotated[str, Field(min_length=1, max_length=200)] = Field(examples=["Ada"])


class NewPassword(Model):
    """Another password, for who got the letter."""

    token: Annotated[str, Field(min_length=1, max_length=200)] = Field(
        description="From the link in the letter."
    )
    password: Password = Field(examples=["several other words"])


class PasswordChange(Model):
    """Another password, for who knows the present one."""

    current: Password = Field(examples=["several words in a row"])
    new: Password = Field(examples=["several other words"])


class UserChanges(Model):
    """What is to be another about a user; what is left out stays."""

    name: Name = optional_field("Another name.")
    email: Email = optional_field("Another e-mail address.")

    model_config = ConfigDict(
        json_schema_extra={"minProperties": 1, "examples": [{"name": "Grace H."}]}
    )

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.model_fields_set:
            raise ValueError("Expected a name, an email, or both")
        return self


class RoleChange(Model):
    """Another role."""

    role: Role = Field(examples=["VOTER"])


class Account(Model):
    """A user, as who may see the address sees them."""

    name: str
    email: str
    role: Role
    allowed_roles: list[Role] = Field(
        description="The roles to choose from for them, by who asks: the present one included."
    )
    when_registered: datetime
    revision: int = Field(description="The number in the ETag.")

    @classmethod
    def of(cls, user: User, viewer: User) -> Account:
        """The user, as the viewer sees them."""
        return cls(
            name=user.name,
            email=user.email,
            role=user.role,
            allowed_roles=list(allowed_roles(viewer, user)),
            when_registered=user.when_registered,
            revision=user.revision,
        )


class Tokens(Model):
    """Somebody is signed in; the token that renews this one is in the cookie."""

    access_token: str
    token_type: str = Field("Bearer", examples=["Bearer"])
    expires_in: int = Field(description="Seconds.", examples=[600])
    user: Account


class OwnActivity(Model):
    """What somebody has been doing here."""

    user_name: str
    role: Role
    elections_owned: int
    ballots_cast: int


class SessionShown(Model):
    """Somewhere one is signed in."""

    id: str
    about: str = Field(description="What the browser said about itself.")
    begun: datetime
    used: datetime = Field(description="When it was renewed last.")
    ends: datetime


class RolePermissions(Model):
    """What a role may do."""

    role: Role
    permissions: list[Permission]


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
    def of(cls, cast: CastBallot) -> BallotShown:
        """The ballot without its receipt, which is the voter's alone."""
        return cls(
            election_name=cast.election_name,
            voter_name=cast.voter_name,
            when_cast=cast.when_cast,
            ranking=cast.receipt["ranking"],
            confirmation=cast.receipt["confirmation"],
            readable=format_code(cast.receipt["confirmation"]),
        )


class OwnBallot(BallotShown):
    """One's own ballot, with its receipt."""

    receipt: ReceiptShown

    @classmethod
    def of(cls, cast: CastBallot) -> OwnBallot:
        """The ballot with its receipt."""
        shown = BallotShown.of(cast).model_dump()
        return cls(**shown, receipt=ReceiptShown.model_validate(cast.receipt))


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
    shown: list[ResultDetail] = Field(description="What may be seen of the ballots.")
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
