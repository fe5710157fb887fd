"""The items of `vote_data` with their keys and attributes, and the states of an election."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

from singletable import Attr, Entity, Index, Key, Table, Unique, attr, casefold
from singletable_apps.elections.roles import Role
from singletable_apps.shared.accounts import Registration


class State(StrEnum):
    """The state of an election: set up, open for votes (editable or locked), or closed."""

    SETUP = "setup"
    EDITABLE = "editable"
    FIXED = "fixed"
    CLOSED = "closed"


STATES: dict[tuple[bool, bool], State] = {
    # (allow_edit, allow_vote)
    (True, False): State.SETUP,
    (True, True): State.EDITABLE,
    (False, True): State.FIXED,
    (False, False): State.CLOSED,
}


class Electorate(StrEnum):
    """The electorate: people with accounts (all, or a list of them), or the people on a roll."""

    ACCOUNTS = "accounts"
    ROLL = "roll"


class CandidateOrder(StrEnum):
    """The order of candidates: as entered, or shuffled on each voter's ballot."""

    ENTERED = "entered"
    SHUFFLED = "shuffled"


class Publication(StrEnum):
    """How much of the ballots is published with the results. Chosen before the launch."""

    TOTALS = "totals"
    ANONYMOUS = "anonymous"
    CONFIRMATIONS = "confirmations"


@dataclass(frozen=True, slots=True, order=True)
class UserId:
    """The id of a user: the number of the event that registered them."""

    number: int


@dataclass(frozen=True, slots=True, order=True)
class RollNumber:
    """The number of a person on the roll of one election. It never equals the id of a user."""

    number: int


VoterId: TypeAlias = UserId | RollNumber


def removed_user_name(user_id: UserId) -> str:
    """Return the name that replaces a removed user's. User names have no @, so it is free."""
    return f"removed@{user_id.number}"


def is_removed_user(name: str) -> bool:
    """Return whether this is the name of a removed user."""
    return name.startswith("removed@")


@dataclass(frozen=True, slots=True)
class RollVoter:
    """A person on the roll of an election. They need no account to vote.

    Numbers are text, because events contain no numbers. `generation` is the number of times that
    the personal link was replaced.
    """

    number: str
    name: str
    email: str = ""
    group: str = ""
    weight: str = "1"
    generation: str = "0"
    is_unsubscribed: bool = False

    @property
    def voter_id(self) -> RollNumber:
        """Return the number of the voter in this election."""
        return RollNumber(int(self.number))

    @property
    def key(self) -> str:
        """Return the name of the voter in events and keys."""
        return roll_key(self.voter_id)

    @property
    def votes(self) -> int:
        """Return how many times the ballot counts."""
        return int(self.weight)


def roll_key(voter_id: RollNumber) -> str:
    """Return the name of a voter on a roll in events and keys. User names have no @."""
    return f"voter@{voter_id.number:06}"


def roll_number(name: str) -> RollNumber | None:
    """Return the number of a voter on a roll from the name in events and keys, or None."""
    mark, _, number = name.partition("@")
    return RollNumber(int(number)) if mark == "voter" and number.isdecimal() else None


def is_account(name: str) -> bool:
    """Return whether this is a user's name, and not one that is made of a number."""
    return "@" not in name


listings = Index("GSI-1", pk="GSI1PK", sk="GSI1SK")
votes = Table("vote_data", indexes=[listings])


class User(Entity, table=votes, type_tag=("entity_type", "USER")):
    """A registered user, and how many elections and ballots belong to them."""

    name: Attr[str] = attr()
    email: Attr[str] = attr()
    is_confirmed: Attr[bool] = attr(default=False)
    hash: Attr[str] = attr()
    role: Attr[Role] = attr()
    user_id: Attr[int] = attr()
    credentials: Attr[int] = attr()
    elections_owned: Attr[int] = attr(default=0)
    ballots_cast: Attr[int] = attr(default=0)
    when_registered: Attr[datetime] = attr()
    revision: Attr[int] = attr()

    key = Key(pk=("USER", name), sk="METADATA")
    listed = Key(pk="USERS", sk=("USER", casefold(name))).on(listings)
    one_name = Unique(casefold(name), pk=("USER_NAME", casefold(name)), sk="METADATA")
    one_email = Unique(casefold(email), pk=("EMAIL", casefold(email)), sk="METADATA")
    one_id = Unique(user_id, pk=("USER_ID", user_id), sk="METADATA")


class Election(Entity, table=votes, type_tag=("entity_type", "ELECTION")):
    """An election: its owner, its settings, and the signed statement of its close."""

    name: Attr[str] = attr()
    owner_name: Attr[str] = attr()
    secret_ballot: Attr[bool] = attr(default=False)
    no_voting_before: Attr[datetime | None] = attr(default=None)
    no_voting_after: Attr[datetime | None] = attr(default=None)
    allow_edit: Attr[bool] = attr(default=True)
    allow_vote: Attr[bool] = attr(default=False)
    publication: Attr[Publication] = attr()
    electorate: Attr[Electorate] = attr(default=Electorate.ACCOUNTS)
    is_weighted: Attr[bool] = attr(default=False)
    is_public: Attr[bool] = attr(default=False)
    method: Attr[str] = attr(default="schulze")
    seats: Attr[int] = attr(default=1)
    order: Attr[CandidateOrder] = attr(default=CandidateOrder.ENTERED)
    none_of_these: Attr[bool] = attr(default=False)
    quorum: Attr[str] = attr(default="")
    # False since proposals are a method. Before, two candidates of certain names made one.
    by_names: Attr[bool | None] = attr(default=None)
    # User ids, which never change, as text; the id of the first question on the same ballot; the
    # name of a ballot with several questions, if it has one of its own.
    managers: Attr[list[str]] = attr(factory=list)
    joint_with: Attr[int | None] = attr(default=None)
    ballot_name: Attr[str] = attr(default="")
    election_id: Attr[int] = attr()
    candidate_count: Attr[int] = attr(default=0)
    voter_count: Attr[int] = attr(default=0)
    definition: Attr[str | None] = attr(default=None)
    tie_commitment: Attr[str | None] = attr(default=None)
    tie_sealed: Attr[str | None] = attr(default=None)
    statement: Attr[str | None] = attr(default=None)
    signature: Attr[str | None] = attr(default=None)
    when_created: Attr[datetime] = attr()
    revision: Attr[int] = attr()

    key = Key(pk=("ELECTION", name), sk="METADATA")
    listed = Key(pk="ELECTIONS", sk=("ELECTION", casefold(name))).on(listings)
    one_name = Unique(casefold(name), pk=("ELECTION_NAME", casefold(name)), sk="METADATA")


class Ownership(Entity, table=votes, type_tag=("entity_type", "OWNERSHIP")):
    """The owner of an election. An item of its own, as the election's entry in GSI-1 lists it."""

    election_name: Attr[str] = attr()
    owner_name: Attr[str] = attr()

    key = Key(pk=("ELECTION", election_name), sk="OWNER")
    by_owner = Key(pk=("OWNER", owner_name), sk=("ELECTION", election_name)).on(listings)


class Candidate(Entity, table=votes, type_tag=("entity_type", "CANDIDATE")):
    """A candidate, listed by `position`; `since` is the number of the event that added it."""

    election_name: Attr[str] = attr()
    candidate_name: Attr[str] = attr()
    since: Attr[int] = attr()
    position: Attr[int] = attr(default=0)

    key = Key(pk=("ELECTION", election_name), sk=("CANDIDATE", candidate_name))


class Voter(Entity, table=votes, type_tag=("entity_type", "VOTER")):
    """An entry in the voter list of an election, or on its roll."""

    election_name: Attr[str] = attr()
    voter_name: Attr[str] = attr()
    entry: Attr[RollVoter | None] = attr(default=None)

    key = Key(pk=("ELECTION", election_name), sk=("VOTER", voter_name))


@dataclass(frozen=True)
class RankedCandidate:
    """A candidate and its rank on a ballot."""

    candidate_name: str
    rank: int


class Ballot(Entity, table=votes, type_tag=("entity_type", "BALLOT")):
    """A ballot: the rankings, or the sealed rankings of a secret ballot."""

    election_name: Attr[str] = attr()
    voter_name: Attr[str] = attr()
    when_cast: Attr[datetime] = attr()
    definition: Attr[str] = attr()
    confirmation: Attr[str | None] = attr(default=None)
    rankings: Attr[list[RankedCandidate] | None] = attr(default=None)
    sealed: Attr[str | None] = attr(default=None)
    revision: Attr[int] = attr()

    key = Key(pk=("ELECTION", election_name), sk=("BALLOT", voter_name))


class Counts(Entity, table=votes, type_tag=("entity_type", "COUNTS")):
    """The numbers of users and elections, and the registration setting."""

    registration: Attr[Registration] = attr(default=Registration.OPEN)
    user_count: Attr[int] = attr(default=0)
    election_count: Attr[int] = attr(default=0)
    last_updated: Attr[datetime | None] = attr(default=None)

    key = Key(pk="METADATA", sk="COUNTS")


class Sync(Entity, table=votes, type_tag=("entity_type", "SYNC")):
    """The position of the table in the log: the last event that is completely applied.

    `step` is the number of chunks of the next event that are applied. During a rebuild,
    `rebuilding` is true and nothing else applies events; `builder` holds the lease until
    `builder_until`.
    """

    last_event_id: Attr[int] = attr(default=0)
    last_hash: Attr[str] = attr(default="")
    step: Attr[int] = attr(default=0)
    rebuilding: Attr[bool] = attr(default=False)
    builder: Attr[str | None] = attr(default=None)
    builder_until: Attr[datetime | None] = attr(default=None)
    last_updated: Attr[datetime | None] = attr(default=None)

    key = Key(pk="METADATA", sk="SYNC")
