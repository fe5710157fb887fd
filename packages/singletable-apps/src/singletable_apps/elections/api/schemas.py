"""Request and response bodies of the elections API, in the order of its topics."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Annotated, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from ranked_ballots import BallotAccount, Margin, Place, QuorumCheck, Rule, TieBreak
from singletable_apps.elections import entities, events
from singletable_apps.elections.entities import CandidateOrder, Electorate, Publication, State
from singletable_apps.elections.proofs.documents import Closing, Receipt
from singletable_apps.elections.proofs.encoding import format_code
from singletable_apps.elections.roles import Role
from singletable_apps.elections.rules.elections import ResultDetail, describe_status, state_of
from singletable_apps.elections.rules.names import MAX_DESCRIPTION, MAX_STATEMENT, MAX_VOTERS
from singletable_apps.elections.rules.roll import FIELDS, MAX_WEIGHT, ParsedRoll, parse_roll
from singletable_apps.elections.rules.users import allowed_roles
from singletable_apps.elections.service.results import Tally as TallyResult
from singletable_apps.elections.service.rolls import RollRow
from singletable_apps.elections.service.voting import CastBallot
from singletable_apps.elections.settings import EditableSettings, ElectionSettings, Method
from singletable_apps.shared.outbox import DeliveryState
from singletable_apps.shared.web import (
    Changes,
    ImageData,
    Model,
    Page,
    PictureLink,
    StrictBoolean,
    optional_field,
    partial_model,
)

LONGEST = 200

Name: TypeAlias = Annotated[str, Field(min_length=1, max_length=LONGEST)]
# As sent; the service decides whether a new password is strong enough.
Password: TypeAlias = Annotated[
    str, Field(min_length=1, max_length=LONGEST, json_schema_extra={"format": "password"})
]


# Where an election is created: each is a whole body.
NEW_ELECTIONS: list[JsonValue] = [
    {
        "name": "Board election",
        "secret_ballot": True,
        "method": "scottish stv",
        "seats": 3,
        "order": "shuffled",
        "none_of_these": True,
        "quorum": "25%",
    },
    {"name": "Raise the fee?", "method": "proposal", "none_of_these": True},
    {"name": "Which restaurant?", "method": "approval"},
    {"name": "Projects by budget", "secret_ballot": True, "order": "shuffled"},
]
EDITABLE = "Whether candidates, voters and ballots can change while people vote."


class _Named(Model):
    name: Name = Field(examples=["Best tea"])


class NewElection(ElectionSettings, _Named):
    """A new election."""

    model_config = ConfigDict(json_schema_extra={"examples": NEW_ELECTIONS})

    def settings(self) -> ElectionSettings:
        """Return the settings."""
        return ElectionSettings(**self.model_dump(exclude={"name"}))


@partial_model()
class ElectionChanges(EditableSettings, _Named, Changes):
    """Changes to an election. Fields you leave out stay as they are."""

    publication: Publication = Field(  # pyright: ignore[reportIncompatibleVariableOverride]
        description="What is published after the close."
    )
    ballot_name: Annotated[str, Field(max_length=LONGEST)] = Field(
        description="The name of a ballot with several questions; empty for that of the first one."
    )

    model_config = ConfigDict(
        json_schema_extra={"minProperties": 1, "examples": [{"secret_ballot": True}]}
    )


class Election(
    Model,
    of=entities.Election,
    only="name owner_name state status secret_ballot publication no_voting_before no_voting_after "
    "electorate is_weighted method seats order none_of_these quorum allow_edit allow_vote managers "
    "joint_with ballot_name candidate_count voter_count when_created tie_commitment revision",
):
    """An election and its state."""

    state: State
    status: str = Field(description="The state in words.", examples=["Being set up"])
    electorate: Electorate = Field(description="Who votes: people with accounts, or on a roll.")
    is_weighted: bool = Field(description="Whether ballots have weights, known from the launch.")
    method: Method = Field(description="The counting method that decides.")
    order: CandidateOrder = Field(description="The order of candidates on ballots.")
    none_of_these: bool = Field(description="Whether ballots offer “None of these”.")
    quorum: str = Field(description="Voters needed for a valid result, or nothing.")
    managers: list[str] = Field(description="The ids of people who manage it with the owner.")
    joint_with: int | None = Field(description="The id of the first question on the same ballot.")
    ballot_name: str = Field(description="The name of a ballot with several questions, if any.")
    voter_count: int = Field(description="0 if all registered voters can vote, or a roll is empty.")
    tie_commitment: str | None = Field(
        description="The digest of the secret that breaks ties, published at the launch."
    )
    revision: int = Field(description="The revision in the ETag.")

    @classmethod
    def of(cls, election: entities.Election, now: datetime) -> Election:
        """Return the election as it is now."""
        status = describe_status(election, now)
        return cls.from_object(election, state=state_of(election), status=status)


class Launch(Model):
    """Whether an election can still be edited while people vote."""

    allow_edit: StrictBoolean = Field(description=EDITABLE, examples=[True])


class Owner(Model):
    """The new owner of an election."""

    owner: Name = Field(examples=["Ada"])


class Candidates(Model):
    """The candidates of an election."""

    candidate_names: list[Name] = Field(max_length=100, examples=[["Assam", "Ceylon"]])


class CandidateList(Candidates):
    """The candidates in their order, their statements and their pictures."""

    statements: dict[str, str] = Field(description="Markdown by candidate, if there is any.")
    pictures: dict[str, PictureLink] = Field(description="By candidate, if there is one.")


class CandidateChanges(Model):
    """Changes to a candidate. Fields you leave out stay as they are."""

    name: Name = optional_field("The new name; only in setup.")
    statement: Annotated[str, Field(max_length=MAX_STATEMENT)] = optional_field(
        "What voters read about the candidate, in Markdown."
    )
    picture: ImageData = optional_field("An image in Base64, of up to 3 MB; empty for none.")
    alt: Annotated[str, Field(max_length=LONGEST)] = optional_field("What the picture shows.")

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"statement": "From the **first** harvest."}]}
    )


class Texts(Model):
    """The question and the description of an election."""

    question: Annotated[str, Field(max_length=LONGEST)] = Field(
        "", description="A line above the ballot.", examples=["Which tea for the office?"]
    )
    description: Annotated[str, Field(max_length=MAX_DESCRIPTION)] = Field(
        "", description="Markdown.", examples=["We buy *one* kind for a year."]
    )


class NewCopy(Model):
    """A copy of an election."""

    name: Name = Field(description="The name of the copy.", examples=["Best tea 2027"])
    with_voters: StrictBoolean = Field(False, description="Whether it has the same voters.")


class NewQuestion(Model):
    """Another question on the ballot of an election."""

    name: Name = Field(description="The name of the new election.", examples=["Budget 2027"])
    yes_or_no: StrictBoolean = Field(
        False, description="Whether it is a proposal, with the options Yes and No."
    )


class Managers(Model):
    """The managers of an election beside its owner."""

    managers: list[Name] = Field(
        max_length=100, description="E-mail addresses or user names.", examples=[["Ben"]]
    )


class VoterNames(Model):
    """The voter list. If it is empty, all registered voters can vote."""

    voter_names: list[Name] = Field(max_length=10_000, examples=[["Ada", "Ben"]])


Everybody = Annotated[
    bool, Field(description="Whether there is no list, and all registered voters can vote.")
]


class VoterList(Model):
    """The number of people on the voter list."""

    everybody: Everybody
    voter_count: int


class VoterPage(Page[str]):
    """A page of the voter list."""

    everybody: Everybody


class RollPerson(Model):
    """Someone on a roll. What is empty or null stays as it is."""

    name: Annotated[str, Field(max_length=LONGEST)] = Field("", examples=["Ada Lovelace"])
    email: Annotated[str, Field(max_length=LONGEST)] = Field("", examples=["ada@example.org"])
    group: Annotated[str, Field(max_length=LONGEST)] = Field("", examples=["Sailing"])
    weight: Annotated[int, Field(strict=True, ge=1, le=MAX_WEIGHT)] | None = Field(
        None, description="How many times the ballot counts; 1 by default.", examples=[1]
    )


@partial_model()
class RollChanges(RollPerson, Changes):
    """Changes to someone on a roll. Fields you leave out stay as they are."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"email": "ada@example.com"}]})


class RollPeople(Model):
    """People to put on a roll."""

    people: list[RollPerson] = Field(max_length=MAX_VOTERS)

    def lines(self) -> ParsedRoll:
        """Return the people as lines, numbered from 1."""
        cells = [(one.name, one.email, one.group, str(one.weight or "")) for one in self.people]
        return parse_roll([(0, FIELDS), *enumerate(cells, 1)])


class RollVoter(Model):
    """Someone on a roll, and what has become of the invitation."""

    number: int = Field(description="Identifies the voter in this election.", examples=[17])
    name: str
    email: str
    group: str
    weight: int
    has_voted: bool
    is_unsubscribed: bool = Field(description="Whether they asked not to be reminded.")
    invitation: DeliveryState | None = Field(description="Null if they were not invited.")
    invited_at: datetime | None = Field(description="When the invitation changed its state.")
    problem: str = Field(description="Why the last e-mail was not delivered, as the server said.")

    @classmethod
    def of(cls, row: RollRow) -> RollVoter:
        """Return a row of a roll."""
        sent, last = row.invitation, row.bounced or row.invitation
        return cls.from_object(
            row.voter,
            number=row.voter.voter_id.number,
            weight=row.voter.votes,
            has_voted=row.has_voted,
            invitation=sent and sent.state,
            invited_at=sent and sent.at,
            problem=last.problem if last else "",
        )


class PersonalLink(Model):
    """The personal link of a voter. Anyone with it can vote in their place."""

    code: str = Field(examples=["001Y-0001-71CQ-H5X7-S9Y6-TMYP"])
    link: str


class Queued(Model):
    """How many e-mails are on the way."""

    queued: int


class Eligibility(Model):
    """Whether a user can vote in an election."""

    user_name: str
    eligible: bool


class Version(Model):
    """A number that grows with every change: poll it, and reload when it moved."""

    version: int
    rebuilding: bool = Field(description="Whether the table is being rebuilt; try again soon.")


Email = Annotated[str, Field(min_length=3, max_length=200, examples=["grace@example.org"])]


class Registration(Model):
    """A new user."""

    name: Name = Field(description="Must not contain an @.", examples=["Grace"])
    email: Email
    password: Password = Field(
        description="At least 12 characters.", examples=["several words in a row"]
    )
    setup_code: Annotated[str, Field(max_length=100)] = Field(
        "", description="For the first user: the code that the command printed at start-up."
    )


class RegistrationPending(Model):
    """A registration that waits for the confirmation of its e-mail address."""

    email: str


class Credentials(Model):
    """A name or e-mail address, and a password."""

    name_or_email: Name = Field(examples=["Ada"])
    password: Password = Field(examples=["several words in a row"])


class PasswordChange(Model):
    """The current password and a new one."""

    current: Password = Field(examples=["several words in a row"])
    new: Password = Field(examples=["several other words"])


class UserChanges(Changes):
    """Changes to a user. Fields you leave out stay as they are."""

    name: Name = optional_field("The new name.")
    email: Email = optional_field("The new e-mail address.")

    model_config = ConfigDict(
        json_schema_extra={"minProperties": 1, "examples": [{"name": "Grace H."}]}
    )


class RoleChange(Model):
    """A new role."""

    role: Role = Field(examples=["VOTER"])


class Account(
    Model, of=entities.User, only="name email role allowed_roles when_registered revision"
):
    """A user, with the e-mail address."""

    allowed_roles: list[Role] = Field(
        description="The roles you can give them, including the current one."
    )
    revision: int = Field(description="The revision in the ETag.")

    @classmethod
    def of(cls, user: entities.User, viewer: entities.User) -> Account:
        """Return the user as the viewer sees them."""
        return cls.from_object(user, allowed_roles=list(allowed_roles(viewer, user)))


class Tokens(Model):
    """An access token. The refresh token is in a cookie."""

    access_token: str
    token_type: str = Field("Bearer", examples=["Bearer"])
    expires_in: int = Field(description="In seconds.", examples=[600])
    user: Account


Levels = list[list[str]]
Rank = Annotated[int, Field(strict=True, ge=1, le=1000)]


class RankedCandidate(Model):
    """A candidate and its rank on a ballot."""

    candidate_name: Name = Field(examples=["Assam"])
    rank: Rank | None = Field(None, description="1 is best; ranks can be equal; null for unranked.")


class NewBallot(Model):
    """The ranking to cast."""

    rankings: list[RankedCandidate] = Field(min_length=1, max_length=100)


class Ballot(Model):
    """A ballot."""

    election_name: str
    voter_name: str
    when_cast: datetime
    ranking: Levels = Field(description="Best first; names in one list have equal rank.")
    confirmation: str
    readable: str = Field(description="The tracking code in groups of four.")

    @classmethod
    def of(cls, cast: CastBallot) -> Ballot:
        """Return the ballot without its receipt, which only the voter sees."""
        code = cast.receipt["confirmation"]
        return cls.from_object(
            cast, ranking=cast.receipt["ranking"], confirmation=code, readable=format_code(code)
        )


class OwnBallot(Ballot):
    """Your own ballot, with its receipt."""

    receipt: Receipt

    @classmethod
    def of(cls, cast: CastBallot) -> OwnBallot:
        """Return the ballot with its receipt."""
        return cls.from_object(Ballot.of(cast), receipt=cast.receipt)


WARNING = (
    "{share:.0%} of these ballots have a unique ranking: anyone who knows how someone ranked may "
    "recognize their ballot."
)


class CountResult(BaseModel):
    """What every counting method returns. Each adds its own: matrices, paths or rounds."""

    model_config = ConfigDict(extra="allow")

    format: str
    version: int
    method: str
    candidates: list[str]
    rules: list[Rule]
    account: BallotAccount
    places: list[Place]
    margin: Margin | None
    tie_break: TieBreak | None
    final_order: list[str]
    explanation: list[str] = Field(description="The count, explained in sentences.")
    winners: list[str] = Field(
        description="The candidates in first place; several if they are tied."
    )
    winner: str | None = Field(description="The winner, after breaking a tie if necessary.")


class Tally(Model):
    """The result of an election, final or so far."""

    election_name: str
    method: Method = Field(description="The method that decides; the result may be by another.")
    seats: int
    elected: list[str] = Field(description="Who wins, or has a seat; empty before a tie is broken.")
    ballots_cast: int
    abstained: int = Field(description="Votes for “None of these”.")
    quorum: QuorumCheck | None = Field(description="Null if any number of voters is enough.")
    shown: list[ResultDetail] = Field(description="What is published of the ballots.")
    unique_share: float | None = Field(
        description="The share of ballots with a unique ranking; null without published rankings."
    )
    closing: Closing | None = Field(description="The signed statement of the close.")
    result: CountResult

    @classmethod
    def of(cls, tally: TallyResult) -> Tally:
        """Return the result with what may be seen of it."""
        return cls.from_object(
            tally,
            election_name=tally.election.name,
            method=tally.election.method,
            seats=tally.election.seats,
            elected=list(tally.elected),
            shown=sorted(tally.shown),
            result=CountResult.model_validate(json.loads(tally.result.to_json())),
        )


class PublishedBallot(Model):
    """A published ballot. What is not published is null."""

    ranking: Levels
    confirmation: str | None
    voter_name: str | None
    when_cast: datetime | None


class BallotPage(Page[PublishedBallot]):
    """Ballots in an order that reveals nothing. During voting, pages may overlap."""

    unique_share: float = Field(description="The share of ballots with a unique ranking.")
    warning: str | None = Field(description="What this means for the secrecy of the ballots.")


class PublicKey(Model):
    """The public key of the signatures, and its fingerprint."""

    public_key: str
    fingerprint: str
    readable: str = Field(description="The fingerprint in groups of four.")


class Event(
    Model,
    of=events.Event,
    only="event_id actor when_occurred event_type event_data previous_hash hash",
):
    """An event of the log."""


class EventPage(Page[Event]):
    """A page of events, newest first."""

    hidden: list[str] = Field(description="Fields of `event_data` that are redacted.")


class QueryResult(Model):
    """The rows of a query: texts, numbers, and times in UTC."""

    columns: list[str]
    rows: list[list[str | int | float | None]]
