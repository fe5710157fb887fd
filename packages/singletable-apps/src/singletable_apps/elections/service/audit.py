"""What auditors see: the stored items, and the same data as relations with natural keys.

Password hashes are redacted everywhere. Secret ballots stay sealed, also for auditors.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias, TypeVar, cast

from cryptography.fernet import Fernet, InvalidToken

from singletable import InvalidCursor, Item, Page, Selection, Store, Table
from singletable_apps.elections import patterns
from singletable_apps.elections.entities import Ballot, Election, User, votes
from singletable_apps.elections.events import event_log
from singletable_apps.elections.read_model import ReadModel
from singletable_apps.elections.roles import Permission
from singletable_apps.elections.rules.elections import state_of
from singletable_apps.elections.rules.names import quote
from singletable_apps.elections.rules.users import check_permission
from singletable_apps.elections.service.context import Context
from singletable_apps.shared.errors import InvalidInput, NotFound
from singletable_apps.shared.sealed import derive_key

T = TypeVar("T")

# Elections can be empty, so several are read at once to fill a page.
ELECTIONS_PER_READ = 25

# Redaction.

REDACTED = "(hidden)"


def redact_password_hash(encoded: str) -> str:
    """Return `$argon2id$v=19$m=…,t=…,p=…$(hidden)`, or only `(hidden)` for other formats."""
    parts = encoded.split("$")
    is_argon2 = len(parts) == 6 and parts[0] == "" and parts[1].startswith("argon2")
    return "$".join([*parts[:4], REDACTED]) if is_argon2 else REDACTED


def redact_event_data(data: Mapping[str, object]) -> dict[str, object]:
    """Return the data of an event without the password hash, and without the bytes of a picture."""
    shown = {"data": REDACTED} if "data" in data else {}
    if "hash" in data:
        shown["hash"] = redact_password_hash(str(data["hash"]))
    return {**data, **shown}


def redact_item(item: Item) -> Item:
    """Return a stored item without the password hash.

    The hash of a log entry is not a password hash and stays: auditors check the chain with it.
    """
    if "event_data" in item:
        data = item["event_data"].get("M", {})
        return {**item, "event_data": {"M": _redact_attribute(data)}} if "hash" in data else item
    return _redact_attribute(item)


def _redact_attribute(item: Item) -> Item:
    if "hash" not in item:
        return item
    encoded = item["hash"].get("S")
    redacted = redact_password_hash(encoded) if isinstance(encoded, str) else REDACTED
    return {**item, "hash": {"S": redacted}}


# Relations: rows and columns.

# Values by column: texts, numbers, times and JSON.
Row: TypeAlias = dict[str, Any]
# The natural key of a row.
Position: TypeAlias = tuple[str | int, ...]
# A position, and the row: values by column, and an item with all others as attributes.
Rows: TypeAlias = Iterator[tuple[Position, object, Row]]


@dataclass(frozen=True, slots=True)
class Column:
    """A column; `optional` values can be missing."""

    name: str
    kind: str
    optional: bool
    description: str


@dataclass(frozen=True, slots=True)
class RowQuery:
    """Rows after a position, or from the first one; no more than `limit` will be used."""

    store: Store
    after: Position | None
    limit: int


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation with its columns, and the function that reads its rows in order."""

    name: str
    description: str
    columns: tuple[Column, ...]
    read: Callable[[RowQuery], Rows]

    def row(self, item: object, values: Row) -> Row:
        """Return the row of an item."""
        names = [column.name for column in self.columns]
        return {name: values[name] if name in values else getattr(item, name) for name in names}


@dataclass(frozen=True, slots=True)
class RelationPage:
    """Some rows of a relation, and the cursor of the next page."""

    relation: Relation
    rows: list[Row]
    cursor: str | None


# Cursors contain names of voters, and URLs end up in logs: so they are encrypted, not only signed.


def _seal_cursor(secret: bytes, relation: str, position: Position) -> str:
    content = json.dumps([relation, *position], ensure_ascii=False)
    return _cipher(secret).encrypt(content.encode()).decode()


def _open_cursor(secret: bytes, relation: str, cursor: str) -> Position:
    try:
        content = _cipher(secret).decrypt(cursor)
    except (InvalidToken, ValueError):
        content = b"[null]"
    name, *position = cast(list[str | int], json.loads(content))
    if name != relation:
        raise InvalidCursor(f"This is not a cursor for '{relation}'. Start without one.")
    return tuple(position)


def _cipher(secret: bytes) -> Fernet:
    return Fernet(urlsafe_b64encode(derive_key(secret, "audit cursors")))


# Relations: readers. Each yields the rows after a position, with their positions.


def _read_users(query: RowQuery) -> Rows:
    after = query.after
    selection = patterns.users_after(str(after[0])) if after else patterns.list_users()
    for user in query.store.query(selection, limit=query.limit):
        yield (user.name,), user, {"last_event": user.revision}


def _read_elections(query: RowQuery) -> Rows:
    after = query.after
    selection = patterns.elections_after(str(after[0])) if after else patterns.list_elections()
    for election in query.store.query(selection, limit=query.limit):
        values: Row = {
            "owner": election.owner_name,
            "state": state_of(election),
            "candidates": election.candidate_count,
            "voters": election.voter_count,
            "last_event": election.revision,
        }
        yield (election.name,), election, values


def _read_candidates(query: RowQuery) -> Rows:
    for item in _read_within(query, patterns.candidates_of, patterns.candidates_after):
        key = item.election_name, item.candidate_name
        yield key, item, {"election": key[0], "candidate": key[1]}


def _read_voters(query: RowQuery) -> Rows:
    for item in _read_within(query, patterns.voters_of, patterns.voters_after):
        key = item.election_name, item.voter_name
        yield key, item, {"election": key[0], "voter": key[1]}


def _read_ballots(query: RowQuery) -> Rows:
    for ballot in _read_within(query, patterns.ballots_of, patterns.ballots_after):
        key = ballot.election_name, ballot.voter_name
        values: Row = {"election": key[0], "voter": key[1], "last_event": ballot.revision}
        yield key, ballot, {**values, "sealed": ballot.sealed is not None}


def _read_rankings(query: RowQuery) -> Rows:
    if query.after:  # the previous page may have ended in the middle of a ballot
        election, voter, line = str(query.after[0]), str(query.after[1]), int(query.after[2])
        ballot = ReadModel(query.store).find_ballot(election, voter)
        yield from _ranking_rows(ballot, line) if ballot is not None else ()
    for ballot in _read_within(query, patterns.ballots_of, patterns.ballots_after):
        yield from _ranking_rows(ballot, 0)


def _ranking_rows(ballot: Ballot, after: int) -> Rows:
    for line, ranked in enumerate(ballot.rankings or (), 1):
        if line > after:
            key = ballot.election_name, ballot.voter_name
            values: Row = {"election": key[0], "voter": key[1], "candidate": ranked.candidate_name}
            yield (*key, line), ranked, values


def _read_events(query: RowQuery) -> Rows:
    after = query.after
    selection = patterns.events_after(int(after[0])) if after else patterns.all_events()
    for event in query.store.query(selection, limit=query.limit, consistent=True):
        yield (event.event_id,), event, {"event_data": redact_event_data(event.event_data)}


def _read_counts(query: RowQuery) -> Rows:
    read = ReadModel(query.store)
    sync, counts = read.get_sync(), read.get_counts()
    if sync is not None and query.after is None:
        totals: Row = {"users": counts.user_count, "elections": counts.election_count}
        yield (0,), sync, {**totals, "events": sync.last_event_id}


def _read_within(
    query: RowQuery,
    select_all: Callable[[str], Selection[T]],
    select_after: Callable[[str, str], Selection[T]],
) -> Iterator[T]:
    """Yield items of elections, election by election, after the position."""
    after = query.after
    for election in _elections_from(query):
        name = election.name
        is_begun = after is not None and after[0] == name
        selection = select_after(name, str(after[1])) if after and is_begun else select_all(name)
        yield from query.store.query(selection, limit=query.limit, consistent=True)


def _elections_from(query: RowQuery) -> Iterator[Election]:
    after = query.after
    selection = patterns.elections_from(str(after[0])) if after else patterns.list_elections()
    cursor = None
    while True:
        page = query.store.page(selection, ELECTIONS_PER_READ, cursor=cursor)
        yield from page.items
        cursor = page.cursor
        if cursor is None:
            return


# A paragraph per relation, with a line per column: name, kind (`?` if optional), description.
_RELATIONS = """
users: All registered users, by name.
user_id: number: the event that registered the user; never changes
name: text: unique in any case
email: text: unique in any case
role: text: what the user may do
elections_owned: number: number of elections the user owns
ballots_cast: number: number of ballots the user has cast
when_registered: time: when the user registered
last_event: number: the last event that changed the user

elections: All elections, by name.
election_id: number: the event that created the election; never changes
name: text: unique in any case
owner: text: the user who owns the election
state: text: whether it can be edited, and is open for voting
secret_ballot: yes or no: whether ballots are sealed
publication: text: what is published after the close
no_voting_before: time?: when voting starts
no_voting_after: time?: when voting ends
candidates: number: number of candidates
voters: number: number of voters on the list; 0: everyone may vote
when_created: time: when the election was created
signature: text?: the signature of the closing statement
last_event: number: the last event that changed the election

candidates: All candidates, by election and name.
election: text: the name of the election
candidate: text: unique in the election
since: number: the event that added the candidate

voters: All entries of voter lists, by election and name.
election: text: the name of the election
voter: text: who may vote; removed@… is a user who was removed

ballots: All ballots, by election and voter.
election: text: the name of the election
voter: text: who cast the ballot; removed@… is a user who was removed
when_cast: time: when the ballot was last cast
sealed: yes or no: whether the ballot is secret and has no rankings here
confirmation: text?: the tracking code; sealed if it is secret
definition: text: the hash of the ballot definition
last_event: number: the event that cast the ballot

rankings: All candidates ranked on ballots that are not secret, by election, voter, rank and name.
election: text: the name of the election
voter: text: who cast the ballot
candidate: text: the ranked candidate
rank: number: 1 is the best; equal candidates share a rank

events: The event log, oldest first.
event_id: number: 1, 2, 3 … without gaps
when_occurred: time: when it happened
actor: text: who did it, by their name at that time, or system
event_type: text: what happened
event_data: JSON: the details; password hashes are hidden
previous_hash: text: the hash of the event before
hash: text: the hash of all other columns

counts: All totals in one row; none before the first event.
users: number: number of users
elections: number: number of elections
events: number: number of events that are in the table
last_updated: time?: when the last of them happened
"""
_READERS: dict[str, Callable[[RowQuery], Rows]] = {
    "users": _read_users,
    "elections": _read_elections,
    "candidates": _read_candidates,
    "voters": _read_voters,
    "ballots": _read_ballots,
    "rankings": _read_rankings,
    "events": _read_events,
    "counts": _read_counts,
}


def _parse_relation(paragraph: str) -> Relation:
    (name, description), *columns = (line.split(": ", 2) for line in paragraph.splitlines())
    found = [
        Column(column, kind.removesuffix("?"), kind.endswith("?"), about)
        for column, kind, about in columns
    ]
    return Relation(name, description, tuple(found), _READERS[name])


RELATIONS = {each.name: each for each in map(_parse_relation, _RELATIONS.strip().split("\n\n"))}


# The service.

MAX_PAGE_SIZE = 1000


@dataclass(frozen=True, slots=True)
class RawTable:
    """A table, its title for people, and what it is for."""

    table: Table
    title: str
    what: str


# Not the table of sessions: it holds tokens and expires.
TABLES = {
    votes.name: RawTable(votes, "Stored data", "The current state, built from the event log"),
    event_log.name: RawTable(
        event_log, "Stored events", "The event log: everything that happened, in order"
    ),
}


class Audit:
    """Stored tables and relations, for auditors only."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def raw(self, viewer: User, table: str, size: int, cursor: str | None = None) -> Page[Item]:
        """Return a page of items as they are stored, without password hashes, in no order."""
        check_permission(viewer, Permission.VIEW_SECRETS)
        _check_size(size)
        if table not in TABLES:
            raise NotFound(
                f"There is no table {quote(table)}. The tables are {' and '.join(TABLES)}.",
                field="table",
            )
        page = self._context.store.admin.items(TABLES[table].table, size, cursor=cursor)
        return Page([redact_item(item) for item in page.items], page.cursor)

    def relation(
        self, viewer: User, name: str, size: int, cursor: str | None = None
    ) -> RelationPage:
        """Return a page of a relation, by natural key.

        Users and elections come from an index, which is eventually consistent in DynamoDB.
        """
        check_permission(viewer, Permission.VIEW_SECRETS)
        _check_size(size)
        if name not in RELATIONS:
            raise NotFound(
                f"There is no relation {quote(name)}. The relations are {', '.join(RELATIONS)}.",
                field="relation",
            )
        relation, context = RELATIONS[name], self._context
        secret = context.keys.secret
        after = None if cursor is None else _open_cursor(secret, name, cursor)
        # One row more than needed tells whether there is another page.
        query = RowQuery(context.store, after, size + 1)
        found = list(islice(relation.read(query), size + 1))
        page = found[:size]
        following = _seal_cursor(secret, name, page[-1][0]) if len(found) > size else None
        rows = [relation.row(item, values) for _, item, values in page]
        return RelationPage(relation, rows, following)


def _check_size(size: int) -> None:
    if not 1 <= size <= MAX_PAGE_SIZE:
        raise InvalidInput({"size": f"Use a page size from 1 to {MAX_PAGE_SIZE:,}."})
