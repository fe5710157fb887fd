"""What can happen in elections.

A fact is data alone; the log keeps it as JSON under its name. There are no numbers in it, for a
number that went through DynamoDB may come back written in another way, and is hashed.
"""

from __future__ import annotations

from datetime import datetime
from typing import TypeAlias

import msgspec

from singletable_apps.elections.roles import Role
from singletable_apps.elections.states import Publication


class _Fact(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    pass


class UserRegistered(_Fact, frozen=True, tag=True):
    """Somebody has joined; the first of all is the owner."""

    name: str
    email: str
    hash: str
    role: Role


class UserRoleChanged(_Fact, frozen=True, tag=True):
    """Somebody was given another role."""

    name: str
    role: Role


class OwnershipTransferred(_Fact, frozen=True, tag=True):
    """The owner is an auditor now, and another is the owner."""

    old_owner: str
    new_owner: str


class UserRemoved(_Fact, frozen=True, tag=True):
    """Somebody is gone. What they cast in elections that had closed stays, under no name."""

    name: str


class UserPasswordChanged(_Fact, frozen=True, tag=True):
    """Somebody has another password, or the same one kept in a newer way."""

    name: str
    hash: str
    renewed: bool = False


class UserNameChanged(_Fact, frozen=True, tag=True):
    """Somebody has another name."""

    old_name: str
    new_name: str


class UserEmailChanged(_Fact, frozen=True, tag=True):
    """Somebody has another e-mail address."""

    name: str
    email: str


class ElectionCreated(_Fact, frozen=True, tag=True):
    """There is a new election."""

    owner: str
    name: str
    secret_ballot: bool
    publication: Publication
    no_voting_before: datetime | None = None
    no_voting_after: datetime | None = None


class ElectionUpdated(_Fact, frozen=True, tag=True):
    """An election has these settings now: all of them, so that what is left out is none."""

    name: str
    secret_ballot: bool
    publication: Publication
    no_voting_before: datetime | None = None
    no_voting_after: datetime | None = None


class ElectionNameChanged(_Fact, frozen=True, tag=True):
    """An election has another name."""

    old_name: str
    new_name: str


class ElectionOwnerChanged(_Fact, frozen=True, tag=True):
    """An election is somebody else's."""

    name: str
    old_owner: str
    new_owner: str


class ElectionLaunched(_Fact, frozen=True, tag=True):
    """Votes are accepted. The secret that will order ties is chosen, and committed to."""

    name: str
    allow_edit: bool
    tie_commitment: str
    tie_sealed: str


class ElectionFixed(_Fact, frozen=True, tag=True):
    """Nothing in an election can be edited any more, while votes are still accepted."""

    name: str


class ElectionFinalized(_Fact, frozen=True, tag=True):
    """An election has closed; the statement says with which ballots, and is signed."""

    name: str
    statement: str
    signature: str


class ElectionDeleted(_Fact, frozen=True, tag=True):
    """An election is gone, with all that belonged to it."""

    name: str


class CandidatesAdded(_Fact, frozen=True, tag=True):
    """There are more to vote for."""

    election: str
    candidates: tuple[str, ...]


class CandidatesRemoved(_Fact, frozen=True, tag=True):
    """There are fewer to vote for; ballots count as if these had never been ranked."""

    election: str
    candidates: tuple[str, ...]


class VotersAdded(_Fact, frozen=True, tag=True):
    """More may vote; the first of them are the first without whom nobody may."""

    election: str
    voters: tuple[str, ...]


class VotersRemoved(_Fact, frozen=True, tag=True):
    """Fewer may vote, or everybody again, if none is left."""

    election: str
    voters: tuple[str, ...]


class BallotCast(_Fact, frozen=True, tag=True):
    """Somebody has voted: in the open, level by level with the best first, or sealed."""

    voter: str
    election: str
    definition: str
    request: str
    fingerprint: str
    confirmation: str | None = None
    nonce: str | None = None
    levels: tuple[tuple[str, ...], ...] | None = None
    sealed: str | None = None


class BallotWithdrawn(_Fact, frozen=True, tag=True):
    """Somebody has taken their ballot back."""

    voter: str
    election: str


Fact: TypeAlias = (
    UserRegistered
    | UserRoleChanged
    | OwnershipTransferred
    | UserRemoved
    | UserPasswordChanged
    | UserNameChanged
    | UserEmailChanged
    | ElectionCreated
    | ElectionUpdated
    | ElectionNameChanged
    | ElectionOwnerChanged
    | ElectionLaunched
    | ElectionFixed
    | ElectionFinalized
    | ElectionDeleted
    | CandidatesAdded
    | CandidatesRemoved
    | VotersAdded
    | VotersRemoved
    | BallotCast
    | BallotWithdrawn
)
