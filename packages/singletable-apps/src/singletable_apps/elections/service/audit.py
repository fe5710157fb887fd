"""What auditors see: the stored items, and the same data as relations with natural keys.

Password hashes are redacted everywhere. Secret ballots stay sealed, also for auditors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from singletable import Item, Page, Selection, Store, Table
from singletable_apps.elections import patterns
from singletable_apps.elections.entities import User, votes
from singletable_apps.elections.events import event_log
from singletable_apps.elections.projection import get_sync
from singletable_apps.elections.roles import ROLE_NAMES, Permission
from singletable_apps.elections.rules.elections import state_of
from singletable_apps.elections.rules.names import quote
from singletable_apps.elections.rules.users import check_permission
from singletable_apps.elections.service.context import Context
from singletable_apps.shared.errors import NotFound

T = TypeVar("T")

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
# An item, and the values that are not its attributes.
Rows: TypeAlias = Iterator[tuple[object, Row]]


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation with its columns and what they mean, and the function that reads its rows."""

    name: str
    description: str
    columns: Mapping[str, str]
    read: Callable[[Store], Rows]

    def rows(self, store: Store) -> Iterator[Row]:
        """Yield the rows in order."""
        for item, values in self.read(store):
            yield {
                name: values[name] if name in values else getattr(item, name)
                for name in self.columns
            }


def _read_users(store: Store) -> Rows:
    for user in store.query(patterns.list_users()):
        yield user, {"role": ROLE_NAMES[user.role], "last_event": user.revision}


def _read_elections(store: Store) -> Rows:
    for election in store.query(patterns.list_elections()):
        values: Row = {
            "owner": election.owner_name,
            "state": state_of(election),
            "candidates": election.candidate_count,
            "voters": election.voter_count,
            "last_event": election.revision,
        }
        yield election, values


def _read_candidates(store: Store) -> Rows:
    for item in _read_within(store, patterns.candidates_of):
        yield item, {"election": item.election_name, "candidate": item.candidate_name}


def _read_voters(store: Store) -> Rows:
    for item in _read_within(store, patterns.voters_of):
        yield item, {"election": item.election_name, "voter": item.voter_name}


def _read_ballots(store: Store) -> Rows:
    for ballot in _read_within(store, patterns.ballots_of):
        values: Row = {"election": ballot.election_name, "voter": ballot.voter_name}
        yield (
            ballot,
            {**values, "sealed": ballot.sealed is not None, "last_event": ballot.revision},
        )


def _read_rankings(store: Store) -> Rows:
    for ballot in _read_within(store, patterns.ballots_of):
        values: Row = {"election": ballot.election_name, "voter": ballot.voter_name}
        for ranked in ballot.rankings or ():
            yield ranked, {**values, "candidate": ranked.candidate_name}


def _read_events(store: Store) -> Rows:
    for event in store.query(patterns.all_events(), consistent=True):
        yield event, {"event_data": redact_event_data(event.event_data)}


def _read_counts(store: Store) -> Rows:
    sync, counts = get_sync(store), store.run(patterns.counts)
    if sync is not None and counts is not None:
        totals: Row = {"users": counts.user_count, "elections": counts.election_count}
        yield sync, {**totals, "events": sync.last_event_id}


def _read_within(store: Store, select: Callable[[str], Selection[T]]) -> Iterator[T]:
    """Yield items of elections, election by election."""
    for election in store.query(patterns.list_elections()):
        yield from store.query(select(election.name), consistent=True)


# A paragraph per relation, with a line per column: name, description.
_RELATIONS = """
users: All registered users, by name.
user_id: the event that registered the user; never changes
name: unique in any case
email: unique in any case
role: what the user may do
elections_owned: number of elections the user owns
ballots_cast: number of ballots the user has cast
when_registered: when the user registered
last_event: the last event that changed the user

elections: All elections, by name.
election_id: the event that created the election; never changes
name: unique in any case
owner: the user who owns the election
state: whether it can be edited, and is open for voting
secret_ballot: whether ballots are sealed
publication: what is published after the close
no_voting_before: when voting starts
no_voting_after: when voting ends
candidates: number of candidates
voters: number of voters on the list; 0: everyone may vote
when_created: when the election was created
signature: the signature of the closing statement
last_event: the last event that changed the election

candidates: All candidates, by election and name.
election: the name of the election
candidate: unique in the election
since: the event that added the candidate

voters: All entries of voter lists, by election and name.
election: the name of the election
voter: who may vote; removed@… is a user who was removed

ballots: All ballots, by election and voter.
election: the name of the election
voter: who cast the ballot; removed@… is a user who was removed
when_cast: when the ballot was last cast
sealed: whether the ballot is secret and has no rankings here
confirmation: the tracking code; sealed if it is secret
definition: the hash of the ballot definition
last_event: the event that cast the ballot

rankings: All candidates ranked on ballots that are not secret, by election, voter, rank and name.
election: the name of the election
voter: who cast the ballot
candidate: the ranked candidate
rank: 1 is the best; equal candidates share a rank

events: The event log, oldest first.
event_id: 1, 2, 3 … without gaps
when_occurred: when it happened
actor: who did it, by their name at that time, or system
event_type: what happened
event_data: the details; password hashes are hidden
previous_hash: the hash of the event before
hash: the hash of all other columns

counts: All totals in one row; none before the first event.
users: number of users
elections: number of elections
events: number of events that are in the table
last_updated: when the last of them happened
"""
_READERS: dict[str, Callable[[Store], Rows]] = {
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
    (name, description), *columns = (line.split(": ", 1) for line in paragraph.splitlines())
    return Relation(name, description, dict(columns), _READERS[name])


RELATIONS = {each.name: each for each in map(_parse_relation, _RELATIONS.strip().split("\n\n"))}


# The service.


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
        if table not in TABLES:
            raise NotFound(
                f"There is no table {quote(table)}. The tables are {' and '.join(TABLES)}.",
                field="table",
            )
        page = self._context.store.admin.items(TABLES[table].table, size, cursor=cursor)
        return Page([redact_item(item) for item in page.items], page.cursor)

    def relation(self, viewer: User, name: str) -> Iterator[Row]:
        """Return the rows of a relation, by natural key.

        Users and elections come from an index, which is eventually consistent in DynamoDB.
        """
        check_permission(viewer, Permission.VIEW_SECRETS)
        return RELATIONS[name].rows(self._context.store)
