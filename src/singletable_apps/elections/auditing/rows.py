"""The rows of every relation: natural keys and plain values, and what each column says."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

from singletable_apps.elections.roles import Role
from singletable_apps.elections.states import Publication, State

Cell: TypeAlias = str | int | bool | datetime | dict[str, object] | None


def _column(what: str) -> Meta:
    return Meta(description=what)


class Row(msgspec.Struct, frozen=True):
    """A row of a relation; its fields are the columns, in their order."""


class UserRow(Row, frozen=True):
    """Everybody who is registered, by name."""

    user_id: Annotated[int, _column("the event that registered them; never changes")]
    name: Annotated[str, _column("unique, whatever its case")]
    email: Annotated[str, _column("unique, whatever its case")]
    role: Annotated[Role, _column("what they are here")]
    elections_owned: Annotated[int, _column("how many elections are theirs")]
    ballots_cast: Annotated[int, _column("how many of the ballots are theirs")]
    eligible_in: Annotated[int, _column("how many lists of voters name them")]
    when_registered: Annotated[datetime, _column("when they registered")]
    last_event: Annotated[int, _column("the event that last changed this")]


class ElectionRow(Row, frozen=True):
    """Every election, by name."""

    election_id: Annotated[int, _column("the event that created it; never changes")]
    name: Annotated[str, _column("unique, whatever its case")]
    owner: Annotated[str, _column("the user whose it is")]
    state: Annotated[State, _column("whether it can be edited, and accepts votes")]
    secret_ballot: Annotated[bool, _column("whether ballots are sealed")]
    publication: Annotated[Publication, _column("what is published when it has ended")]
    no_voting_before: Annotated[datetime | None, _column("votes are accepted from then on")]
    no_voting_after: Annotated[datetime | None, _column("votes are accepted until then")]
    candidates: Annotated[int, _column("how many candidates there are")]
    voters: Annotated[int, _column("how many are on its list; 0: everybody may vote")]
    when_created: Annotated[datetime, _column("when it was created")]
    signature: Annotated[str | None, _column("of the statement it closed with")]
    last_event: Annotated[int, _column("the event that last changed this")]


class CandidateRow(Row, frozen=True):
    """Every candidate, by election and name."""

    election: Annotated[str, _column("in which election")]
    candidate: Annotated[str, _column("unique in the election")]
    since: Annotated[int, _column("the event that made it a candidate")]


class VoterRow(Row, frozen=True):
    """Every entry in a list of voters, by election and name."""

    election: Annotated[str, _column("in which election")]
    voter: Annotated[str, _column("who may vote; removed@… was removed since")]


class BallotRow(Row, frozen=True):
    """Every ballot, by election and voter."""

    election: Annotated[str, _column("in which election")]
    voter: Annotated[str, _column("who cast it; removed@… was removed since")]
    when_cast: Annotated[datetime, _column("when it was cast, the last time")]
    sealed: Annotated[bool, _column("whether it is secret: then there are no rankings of it")]
    confirmation: Annotated[str | None, _column("the voter's code; sealed with a secret ballot")]
    definition: Annotated[str, _column("the hash of what the voter was asked")]
    last_event: Annotated[int, _column("the event that cast it")]


class RankingRow(Row, frozen=True):
    """Every candidate that an open ballot ranks, by election, voter, rank and name."""

    election: Annotated[str, _column("in which election")]
    voter: Annotated[str, _column("whose ballot")]
    candidate: Annotated[str, _column("what is ranked")]
    rank: Annotated[int, _column("its place; 1 is the best, equals share one")]


class EventRow(Row, frozen=True):
    """The log, from the first event on."""

    event_id: Annotated[int, _column("1, 2, 3 … without a gap")]
    when_occurred: Annotated[datetime, _column("when it happened")]
    actor: Annotated[str, _column("who did it, by the name of then; or system")]
    event_type: Annotated[str, _column("what happened")]
    event_data: Annotated[dict[str, object], _column("to whom and what; password hashes hidden")]
    previous_hash: Annotated[str, _column("the hash of the event before")]
    hash: Annotated[str, _column("of all the others")]


class CountsRow(Row, frozen=True):
    """How many there are: one row, or none before the first event."""

    users: Annotated[int, _column("how many users there are")]
    elections: Annotated[int, _column("how many elections there are")]
    events: Annotated[int, _column("how many events of the log are in the table")]
    last_updated: Annotated[datetime | None, _column("when the last of them happened")]


def cells(row: Row) -> dict[str, Cell]:
    """The values of a row by column."""
    return {name: getattr(row, name) for name in row.__struct_fields__}
