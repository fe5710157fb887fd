"""What is kept in `vote_data`: each documented item, with its key and its attributes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from singletable import Attr, Entity, Index, Key, Table, Unique, attr, casefold
from singletable_apps.elections.roles import Role

# FROM states.py: The states of an election, and how much of it is published.


class State(StrEnum):
    """Where an election stands; two switches say it, and no other combination has a meaning."""

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


class Publication(StrEnum):
    """What is published of an election when it has ended; settled before it opens."""

    TOTALS = "totals"
    ANONYMOUS = "anonymous"
    CONFIRMATIONS = "confirmations"


listings = Index("GSI-1", pk="GSI1PK", sk="GSI1SK")
votes = Table("vote_data", indexes=[listings])


@dataclass(frozen=True)
class PendingRename:
    """A new name on its way: from which, and how much is still to be found under it."""

    old_name: str
    elections: int
    ballots: int
    voters: int


class User(Entity, table=votes, type_tag=("entity_type", "USER")):
    """Somebody who has registered.

    The three counts say how many elections, ballots and entries in lists of voters are theirs.
    An index may be a moment behind, so whoever follows it to all that is theirs knows by these
    when all is found.
    """

    name: Attr[str] = attr()
    email: Attr[str] = attr()
    hash: Attr[str] = attr()
    role: Attr[Role] = attr()
    user_id: Attr[int] = attr()
    credentials: Attr[int] = attr()
    elections_owned: Attr[int] = attr(default=0)
    ballots_cast: Attr[int] = attr(default=0)
    eligible_in: Attr[int] = attr(default=0)
    moving: Attr[PendingRename | None] = attr(default=None)
    when_registered: Attr[datetime] = attr()
    revision: Attr[int] = attr()

    key = Key(pk=("USER", name), sk="METADATA")
    listed = Key(pk="USERS", sk=("USER", casefold(name))).on(listings)
    one_name = Unique(casefold(name), pk=("USER_NAME", casefold(name)), sk="METADATA")
    one_email = Unique(casefold(email), pk=("EMAIL", casefold(email)), sk="METADATA")
    one_id = Unique(user_id, pk=("USER_ID", user_id), sk="METADATA")


class Election(Entity, table=votes, type_tag=("entity_type", "ELECTION")):
    """An election: whose it is, what was settled for it, and how it ended."""

    name: Attr[str] = attr()
    owner_name: Attr[str] = attr()
    secret_ballot: Attr[bool] = attr(default=False)
    no_voting_before: Attr[datetime | None] = attr(default=None)
    no_voting_after: Attr[datetime | None] = attr(default=None)
    allow_edit: Attr[bool] = attr(default=True)
    allow_vote: Attr[bool] = attr(default=False)
    publication: Attr[Publication] = attr()
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
    """That an election is somebody's: an item is in an index once, and elections are listed."""

    election_name: Attr[str] = attr()
    owner_name: Attr[str] = attr()

    key = Key(pk=("ELECTION", election_name), sk="OWNER")
    by_owner = Key(pk=("OWNER", owner_name), sk=("ELECTION", election_name)).on(listings)


class Definition(Entity, table=votes, type_tag=("entity_type", "DEFINITION")):
    """What a ballot was about when it was cast: candidates may change, what was asked may not."""

    election_name: Attr[str] = attr()
    digest: Attr[str] = attr()
    candidate_names: Attr[list[str]] = attr()

    key = Key(pk=("ELECTION", election_name), sk=("DEFINITION", digest))


class Candidate(Entity, table=votes, type_tag=("entity_type", "CANDIDATE")):
    """Somebody or something to vote for; `since` is the event that made it one."""

    election_name: Attr[str] = attr()
    candidate_name: Attr[str] = attr()
    since: Attr[int] = attr()

    key = Key(pk=("ELECTION", election_name), sk=("CANDIDATE", candidate_name))


class Voter(Entity, table=votes, type_tag=("entity_type", "VOTER")):
    """Somebody who may vote in an election that not everybody may vote in."""

    election_name: Attr[str] = attr()
    voter_name: Attr[str] = attr()

    key = Key(pk=("ELECTION", election_name), sk=("VOTER", voter_name))
    by_voter = Key(pk=("VOTER", voter_name), sk=("ELIGIBLE", election_name)).on(listings)


@dataclass(frozen=True)
class RankedCandidate:
    """One line of a ballot: a candidate, and the place it was given."""

    candidate_name: str
    rank: int


@dataclass(frozen=True)
class CastRequest:
    """A request to cast that was carried out: what it said, and the event it became."""

    fingerprint: str
    event_id: int


class Ballot(Entity, table=votes, type_tag=("entity_type", "BALLOT")):
    """That somebody voted, and what, which is sealed where the ballot is secret.

    `asked` remembers the last requests by their keys, so that one that is sent again is known.
    """

    election_name: Attr[str] = attr()
    voter_name: Attr[str] = attr()
    when_cast: Attr[datetime] = attr()
    definition: Attr[str] = attr()
    confirmation: Attr[str | None] = attr(default=None)
    nonce: Attr[str | None] = attr(default=None)
    rankings: Attr[list[RankedCandidate] | None] = attr(default=None)
    sealed: Attr[str | None] = attr(default=None)
    asked: Attr[dict[str, CastRequest]] = attr(factory=dict)
    revision: Attr[int] = attr()

    key = Key(pk=("ELECTION", election_name), sk=("BALLOT", voter_name))
    by_voter = Key(pk=("VOTER", voter_name), sk=("BALLOT", election_name)).on(listings)


class WithdrawnBallot(Entity, table=votes, type_tag=("entity_type", "WITHDRAWN")):
    """The requests of ballots that were taken back: one of them may come again, and late.

    It is known by numbers, which never change, so that no new name has to be given to it.
    """

    election_id: Attr[int] = attr()
    user_id: Attr[int] = attr()
    asked: Attr[dict[str, CastRequest]] = attr(factory=dict)

    key = Key(pk=("ELECTION_ID", election_id), sk=("WITHDRAWN", user_id))


class Counts(Entity, table=votes, type_tag=("entity_type", "COUNTS")):
    """How many users and elections there are."""

    user_count: Attr[int] = attr(default=0)
    election_count: Attr[int] = attr(default=0)
    last_updated: Attr[datetime | None] = attr(default=None)

    key = Key(pk="METADATA", sk="COUNTS")


class Sync(Entity, table=votes, type_tag=("entity_type", "SYNC")):
    """How far the table has followed the log: the last event that is wholly in it.

    `step` counts the chunks of the next event that are in it already. While the table is being
    built anew, `rebuilding` is true and nobody else follows the log; `builder` does it, and is
    taken for gone after `builder_until`.
    """

    last_event_id: Attr[int] = attr(default=0)
    last_hash: Attr[str] = attr(default="")
    step: Attr[int] = attr(default=0)
    rebuilding: Attr[bool] = attr(default=False)
    builder: Attr[str | None] = attr(default=None)
    builder_until: Attr[datetime | None] = attr(default=None)
    last_updated: Attr[datetime | None] = attr(default=None)

    key = Key(pk="METADATA", sk="SYNC")


# User names have no @, so no user can have the name of a removed one.


def removed_user_name(user_id: int) -> str:
    """The name under which what a removed user cast remains."""
    return f"removed@{user_id}"


def is_removed_user(name: str) -> bool:
    """Whether this is the name of somebody who was removed."""
    return name.startswith("removed@")
