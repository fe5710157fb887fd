"""What an auditor sees: items as they are stored, and the same as tables without keys."""

from __future__ import annotations

import hmac
import json
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Annotated, Any, TypeAlias, TypeVar, cast, get_args, get_origin, get_type_hints

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from msgspec import Meta

from singletable import InvalidCursor, Item, Selection, Store
from singletable_apps.elections import patterns
from singletable_apps.elections.entities import Ballot, Election, Publication, State
from singletable_apps.elections.read_model import ReadModel
from singletable_apps.elections.roles import Role
from singletable_apps.elections.rules.elections import state_of

HIDDEN = "(hidden)"


def redact_password_hash(encoded: str) -> str:
    """`$argon2id$v=19$m=…,t=…,p=…$(hidden)`; of what is written in another way, nothing is left."""
    parts = encoded.split("$")
    known = len(parts) == 6 and parts[0] == "" and parts[1].startswith("argon2")
    return "$".join([*parts[:4], HIDDEN]) if known else HIDDEN


def redact_event_data(data: Mapping[str, object]) -> dict[str, object]:
    """What an event says, without the hash of a password."""
    if "hash" not in data:
        return dict(data)
    return {**data, "hash": redact_password_hash(str(data["hash"]))}


def redact_item(item: Item) -> Item:
    """An item of either table as it is stored, without the hash of a password.

    The hash of an entry of the log is none, and stays: it is what the chain is made of.
    """
    if "event_data" in item:
        data = item["event_data"].get("M", {})
        return {**item, "event_data": {"M": _without(data)}} if "hash" in data else item
    return _without(item)


def _without(item: Item) -> Item:
    if "hash" not in item:
        return item
    kept = item["hash"].get("S")
    return {**item, "hash": {"S": redact_password_hash(kept) if isinstance(kept, str) else HIDDEN}}


# The natural key of the last row that was given.
Position: TypeAlias = tuple[str | int, ...]

_IV = 12


def seal(secret: bytes, relation: str, position: Position) -> str:
    """A cursor that goes on after the row at this position."""
    iv = secrets.token_bytes(_IV)
    hidden = _cipher(secret).encrypt(iv, json.dumps(position).encode(), relation.encode())
    return urlsafe_b64encode(iv + hidden).rstrip(b"=").decode()


def unseal(secret: bytes, relation: str, cursor: str) -> Position:
    """The position in a cursor of this relation; InvalidCursor if it is of another, or none."""
    try:
        sealed = urlsafe_b64decode(cursor.encode() + b"=" * (-len(cursor) % 4))
        plain = _cipher(secret).decrypt(sealed[:_IV], sealed[_IV:], relation.encode())
    except (ValueError, InvalidTag):
        raise InvalidCursor(
            f"The page cursor was not made for the relation '{relation}', or was changed. Begin "
            "without one."
        ) from None
    return tuple(cast(list[str | int], json.loads(plain)))


def _cipher(secret: bytes) -> AESGCM:
    return AESGCM(hmac.digest(secret, b"cursors of auditors", "sha256"))


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


def row_values(row: Row) -> dict[str, Cell]:
    """The values of a row by column."""
    return {name: getattr(row, name) for name in row.__struct_fields__}


# FROM py: The rows of each relation in the order of their keys, from any of them on.

# An election may have no candidate, voter or ballot at all, so some are looked at in advance.
ELECTIONS_AT_ONCE = 25

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Wanted:
    """The rows after a position, or from the first on; more than `limit` will not be taken."""

    store: Store
    after: Position | None
    limit: int


Rows: TypeAlias = Iterator[tuple[Position, Row]]


def users(wanted: Wanted) -> Rows:
    """Users, by name whatever its case."""
    after = wanted.after
    chosen = patterns.users_after(str(after[0])) if after else patterns.list_users()
    for one in wanted.store.query(chosen, limit=wanted.limit):
        yield (
            (one.name,),
            UserRow(
                user_id=one.user_id,
                name=one.name,
                email=one.email,
                role=one.role,
                elections_owned=one.elections_owned,
                ballots_cast=one.ballots_cast,
                eligible_in=one.eligible_in,
                when_registered=one.when_registered,
                last_event=one.revision,
            ),
        )


def elections(wanted: Wanted) -> Rows:
    """Elections, by name whatever its case."""
    after = wanted.after
    chosen = patterns.elections_after(str(after[0])) if after else patterns.list_elections()
    for one in wanted.store.query(chosen, limit=wanted.limit):
        yield (
            (one.name,),
            ElectionRow(
                election_id=one.election_id,
                name=one.name,
                owner=one.owner_name,
                state=state_of(one),
                secret_ballot=one.secret_ballot,
                publication=one.publication,
                no_voting_before=one.no_voting_before,
                no_voting_after=one.no_voting_after,
                candidates=one.candidate_count,
                voters=one.voter_count,
                when_created=one.when_created,
                signature=one.signature,
                last_event=one.revision,
            ),
        )


def candidates(wanted: Wanted) -> Rows:
    """Candidates, by election and name."""
    inside = _within(wanted, patterns.candidates_of, patterns.candidates_after)
    for one in inside:
        row = CandidateRow(one.election_name, one.candidate_name, one.since)
        yield (one.election_name, one.candidate_name), row


def voters(wanted: Wanted) -> Rows:
    """Entries in lists of voters, by election and name."""
    for one in _within(wanted, patterns.voters_of, patterns.voters_after):
        yield (one.election_name, one.voter_name), VoterRow(one.election_name, one.voter_name)


def ballots(wanted: Wanted) -> Rows:
    """Ballots, by election and voter."""
    for one in _within(wanted, patterns.ballots_of, patterns.ballots_after):
        yield (
            (one.election_name, one.voter_name),
            BallotRow(
                election=one.election_name,
                voter=one.voter_name,
                when_cast=one.when_cast,
                sealed=one.sealed is not None,
                confirmation=one.confirmation,
                definition=one.definition,
                last_event=one.revision,
            ),
        )


def rankings(wanted: Wanted) -> Rows:
    """What open ballots rank: the rest of the ballot where the last page ended, and all after."""
    if wanted.after:
        election, voter, given = str(wanted.after[0]), str(wanted.after[1]), int(wanted.after[2])
        begun = ReadModel(wanted.store).find_ballot(election, voter)
        yield from _lines(begun, given) if begun is not None else ()
    for one in _within(wanted, patterns.ballots_of, patterns.ballots_after):
        yield from _lines(one, 0)


def events(wanted: Wanted) -> Rows:
    """The log, in order."""
    after = wanted.after
    chosen = patterns.events_after(int(after[0])) if after else patterns.all_events()
    for one in wanted.store.query(chosen, limit=wanted.limit, consistent=True):
        yield (
            (one.event_id,),
            EventRow(
                event_id=one.event_id,
                when_occurred=one.when_occurred,
                actor=one.actor,
                event_type=one.event_type,
                event_data=redact_event_data(one.event_data),
                previous_hash=one.previous_hash,
                hash=one.hash,
            ),
        )


def counts(wanted: Wanted) -> Rows:
    """The one row of counts."""
    view = ReadModel(wanted.store)
    sync, there = view.get_sync(), view.get_counts()
    if sync is not None and wanted.after is None:
        yield (
            (0,),
            CountsRow(
                users=there.user_count,
                elections=there.election_count,
                events=sync.last_event_id,
                last_updated=sync.last_updated,
            ),
        )


def _within(
    wanted: Wanted,
    all_of: Callable[[str], Selection[T]],
    after: Callable[[str, str], Selection[T]],
) -> Iterator[T]:
    """What belongs to elections, election by election, after the one at the position."""
    for election in _elections_from(wanted):
        name, begun = election.name, wanted.after
        goes_on = begun is not None and begun[0] == name
        chosen = after(name, str(begun[1])) if begun and goes_on else all_of(name)
        yield from wanted.store.query(chosen, limit=wanted.limit, consistent=True)


def _elections_from(wanted: Wanted) -> Iterator[Election]:
    after = wanted.after
    chosen = patterns.elections_from(str(after[0])) if after else patterns.list_elections()
    cursor = None
    while True:
        page = wanted.store.page(chosen, ELECTIONS_AT_ONCE, cursor=cursor)
        yield from page.items
        cursor = page.cursor
        if cursor is None:
            return


def _lines(ballot: Ballot, given: int) -> Rows:
    for number, line in enumerate(ballot.rankings or (), 1):
        if number > given:
            names = ballot.election_name, ballot.voter_name
            yield (*names, number), RankingRow(*names, line.candidate_name, line.rank)


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, what kind of value it has, whether there may be none, what it says."""

    name: str
    kind: str
    optional: bool
    description: str


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation: its name, what is in it, and its columns."""

    name: str
    description: str
    row: type[Row]
    columns: tuple[Column, ...]
    read: Callable[[Wanted], Rows]


@dataclass(frozen=True, slots=True)
class RelationPage:
    """Some rows of a relation, and the cursor of the next page."""

    relation: Relation
    rows: list[Row]
    cursor: str | None


def read_relation(
    relation: Relation, store: Store, secret: bytes, size: int, cursor: str | None
) -> RelationPage:
    """So many rows after those that the cursor was given with."""
    after = None if cursor is None else unseal(secret, relation.name, cursor)
    # One more tells whether this page is the last.
    found = list(islice(relation.read(Wanted(store, after, size + 1)), size + 1))
    given = found[:size]
    following = seal(secret, relation.name, given[-1][0]) if len(found) > size else None
    return RelationPage(relation, [row for _, row in given], following)


_KINDS: dict[object, str] = {
    int: "number",
    bool: "yes or no",
    datetime: "time",
    dict: "JSON",
}


def _columns(row: type[Row]) -> tuple[Column, ...]:
    hints = get_type_hints(row, include_extras=True)
    return tuple(_column_relations(name, hints[name]) for name in row.__struct_fields__)


def _column_relations(name: str, annotated: Any) -> Column:
    assert get_origin(annotated) is Annotated
    kind, meta = get_args(annotated)
    inner = [one for one in get_args(kind) if one is not type(None)]
    optional = type(None) in get_args(kind)
    core = inner[0] if optional else get_origin(kind) or kind
    return Column(name, _KINDS.get(core, "text"), optional, str(meta.description))


def _relation(name: str, row: type[Row], read: Callable[[Wanted], Rows]) -> Relation:
    return Relation(name, (row.__doc__ or "").strip(), row, _columns(row), read)


RELATIONS: dict[str, Relation] = {
    one.name: one
    for one in (
        _relation("users", UserRow, users),
        _relation("elections", ElectionRow, elections),
        _relation("candidates", CandidateRow, candidates),
        _relation("voters", VoterRow, voters),
        _relation("ballots", BallotRow, ballots),
        _relation("rankings", RankingRow, rankings),
        _relation("events", EventRow, events),
        _relation("counts", CountsRow, counts),
    )
}
