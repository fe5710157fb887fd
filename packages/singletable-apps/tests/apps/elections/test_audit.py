"""Auditors read tables as stored items and as relations, and query these, without secrets."""

from __future__ import annotations

import json
import threading
from contextlib import suppress

import pytest

from singletable import Engine, InvalidCursor, Item, Table
from singletable_apps.elections.entities import State, votes
from singletable_apps.elections.events import event_log
from singletable_apps.elections.keys import generate_keys
from singletable_apps.elections.roles import ROLE_NAMES
from singletable_apps.elections.rules.roll import parse_roll, split_text
from singletable_apps.elections.sample import SAMPLE_ELECTIONS, SAMPLE_PEOPLE, SampleElection
from singletable_apps.elections.service import audit_queries, open_elections
from singletable_apps.elections.service.audit import (
    RELATIONS,
    TABLES,
    Row,
    redact_item,
    redact_password_hash,
)
from singletable_apps.elections.service.audit_queries import MAX_SHOWN, run_query
from singletable_apps.shared.errors import Busy, InvalidInput, NotFound
from singletable_apps.shared.expiry import expiring
from singletable_apps.shared.permissions import NotPermitted
from tests.apps.support.elections.sample import FAST_PASSWORDS, SampleCopy, copy_sample
from tests.apps.support.tables import all_items


@pytest.fixture(scope="module")
def sample() -> SampleCopy:
    return copy_sample()


def read_items(sample: SampleCopy, table: str, size: int) -> list[Item]:
    """Return all stored items of a table, read page by page."""
    found: list[Item] = []
    cursor = None
    while True:
        page = sample.elections.audit.raw(sample.user("grace"), table, size, cursor)
        assert len(page.items) <= size
        found += page.items
        cursor = page.cursor
        if cursor is None:
            return found


def read_rows(sample: SampleCopy, name: str) -> list[Row]:
    """Return all rows of a relation."""
    return list(sample.elections.audit.relation(sample.user("grace"), name))


# Access.


@pytest.mark.parametrize("name", ["alan", "barbara", "leslie", "niklaus", "radia"])
def test_other_users_cannot_read_tables(sample: SampleCopy, name: str) -> None:
    with pytest.raises(NotPermitted):
        sample.elections.audit.raw(sample.user(name), "vote_data", 1)
    with pytest.raises(NotPermitted):
        sample.elections.audit.relation(sample.user(name), "users")


# The table of sessions holds links that sign a user in: an auditor could become the owner.
@pytest.mark.parametrize("table", [expiring.name, "vote_sessions", "", "users"])
def test_other_tables_are_not_shown(sample: SampleCopy, table: str) -> None:
    with pytest.raises(NotFound):
        sample.elections.audit.raw(sample.user("grace"), table, 1)
    assert list(TABLES) == ["vote_data", "vote_event_log"]


# Stored items.


@pytest.mark.parametrize("table", [votes, event_log], ids=["vote_data", "vote_event_log"])
def test_items_are_shown_as_stored_except_for_hashes(sample: SampleCopy, table: Table) -> None:
    shown = read_items(sample, table.name, 37)
    assert shown == [redact_item(item) for item in all_items(sample.store, table)]


# With a hash, passwords can be guessed without any rate limit.
@pytest.mark.parametrize("table", ["vote_data", "vote_event_log"])
def test_no_password_hash_is_shown(sample: SampleCopy, table: str) -> None:
    hashes = {user.hash for user in map(sample.user, ("ada", "grace", "radia"))}
    secrets = {part for encoded in hashes for part in encoded.split("$")[4:]}
    stored = {"vote_data": votes, "vote_event_log": event_log}[table]
    assert all(secret in json.dumps(all_items(sample.store, stored)) for secret in secrets)
    shown = json.dumps(read_items(sample, table, 100))
    assert not [secret for secret in secrets if secret in shown]
    assert "$argon2id$v=19$m=64,t=1,p=1$(hidden)" in shown


# They are not secret, and auditors check the log with them.
def test_hashes_of_events_are_shown(sample: SampleCopy) -> None:
    shown = read_items(sample, "vote_event_log", 100)
    chain = [(item["previous_hash"]["S"], item["hash"]["S"]) for item in shown]
    assert [previous for previous, _ in chain[1:]] == [own for _, own in chain[:-1]]


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA", "$argon2id$v=19$m=19456,t=2,p=1$(hidden)"),
        ("$2b$12$abcdefghijklmnopqrstuv", "(hidden)"),
        ("$argon2id$v=19$secret", "(hidden)"),
        ("secret", "(hidden)"),
        ("", "(hidden)"),
    ],
)
def test_redacted_hash_keeps_only_its_parameters(stored: str, shown: str) -> None:
    assert redact_password_hash(stored) == shown


def test_item_cursor_is_only_valid_for_its_table(sample: SampleCopy) -> None:
    grace, audit = sample.user("grace"), sample.elections.audit
    cursor = audit.raw(grace, "vote_data", 1).cursor
    with pytest.raises(InvalidCursor):
        audit.raw(grace, "vote_event_log", 1, cursor)


# Relations.


def test_users_relation_has_all_users(sample: SampleCopy) -> None:
    rows = read_rows(sample, "users")
    assert [(row["name"], row["role"]) for row in rows] == sorted(
        (person.name, ROLE_NAMES[person.role]) for person in SAMPLE_PEOPLE
    )
    assert [row["user_id"] for row in sorted(rows, key=lambda row: row["when_registered"])] == list(
        range(1, len(SAMPLE_PEOPLE) + 1)
    )


def _voters(poll: SampleElection) -> dict[str, str]:
    """Return the voters on the list or the roll of a sample election, with their names in keys."""
    people = parse_roll(split_text(poll.roll)).lines
    numbers = {one.name: f"voter@{number:06}" for number, one in enumerate(people, 1)}
    return numbers or {name: name for name in poll.voters}


def test_elections_relation_has_all_elections(sample: SampleCopy) -> None:
    rows = read_rows(sample, "elections")
    assert [row["name"] for row in rows] == sorted(
        (poll.name for poll in SAMPLE_ELECTIONS), key=str.casefold
    )
    by_name = {poll.name: poll for poll in SAMPLE_ELECTIONS}
    for row in rows:
        poll = by_name[row["name"]]
        assert (row["owner"], row["state"], row["secret_ballot"]) == (
            poll.owner,
            poll.state,
            poll.secret,
        )
        assert (row["candidates"], row["voters"]) == (len(poll.candidates), len(_voters(poll)))
        assert (row["signature"] is not None) == (poll.state is State.CLOSED)


def test_candidates_voters_and_ballots_are_sorted_by_election_and_name(sample: SampleCopy) -> None:
    polls = sorted(SAMPLE_ELECTIONS, key=lambda poll: poll.name.casefold())
    candidates = read_rows(sample, "candidates")
    assert [(row["election"], row["candidate"]) for row in candidates] == [
        (poll.name, name) for poll in polls for name in sorted(poll.candidates)
    ]
    assert read_rows(sample, "voters") == [
        {"election": poll.name, "voter": name}
        for poll in polls
        for name in sorted(_voters(poll).values())
    ]
    ballots = read_rows(sample, "ballots")
    assert [(row["election"], row["voter"], row["sealed"]) for row in ballots] == [
        (poll.name, voter, poll.secret)
        for poll in polls
        for voter in sorted(_voters(poll).get(name, name) for name, _ in poll.ballots)
    ]
    assert all((row["confirmation"] is None) == row["sealed"] for row in ballots)


def test_open_ballot_has_a_row_for_each_ranked_candidate(sample: SampleCopy) -> None:
    rows = read_rows(sample, "rankings")
    boat = [row for row in rows if row["election"] == "Name of the boat"]
    assert [(row["candidate"], row["rank"]) for row in boat if row["voter"] == "Ada"] == [
        ("Heron", 1),
        ("Kingfisher", 2),
    ]
    assert {row["rank"] for row in boat if row["voter"] == "Donald"} == {1}


# Not even auditors or the owner see how someone voted in secret.
def test_sealed_ballots_have_no_rankings(sample: SampleCopy) -> None:
    secret = {poll.name for poll in SAMPLE_ELECTIONS if poll.secret}
    rows = read_rows(sample, "rankings")
    shown = {row["election"] for row in rows}
    assert shown == {poll.name for poll in SAMPLE_ELECTIONS if poll.ballots} - secret


def test_events_relation_is_in_order_and_hides_password_hashes(sample: SampleCopy) -> None:
    rows = read_rows(sample, "events")
    assert [row["event_id"] for row in rows] == list(range(1, len(rows) + 1))
    assert rows[0]["event_data"]["hash"] == "$argon2id$v=19$m=64,t=1,p=1$(hidden)"
    (counts,) = read_rows(sample, "counts")
    assert (counts["users"], counts["elections"], counts["events"]) == (
        len(SAMPLE_PEOPLE),
        len(SAMPLE_ELECTIONS),
        len(rows),
    )


@pytest.mark.parametrize("name", RELATIONS)
def test_columns_have_descriptions_and_no_keys(sample: SampleCopy, name: str) -> None:
    relation = RELATIONS[name]
    assert relation.description.endswith(".")
    assert all(relation.columns.values())
    for row in read_rows(sample, name):
        assert list(row) == list(relation.columns)
        assert not [column for column in row if column.upper().endswith(("PK", "SK"))]
        assert not [text for text in row.values() if isinstance(text, str) and "ELECTION#" in text]


def test_relations_of_a_new_site_are_empty() -> None:
    elections = open_elections(Engine.in_memory(), generate_keys(), passwords=FAST_PASSWORDS)
    ada = elections.people.register("Ada", "ada@example.org", "lantern copper river")
    rows = {name: len(list(elections.audit.relation(ada, name))) for name in RELATIONS}
    assert {name for name, count in rows.items() if count} == {"users", "events", "counts"}


def query(sample: SampleCopy, sql: str, name: str = "grace") -> list[tuple[object, ...]]:
    return list(map(tuple, run_query(sample.elections.audit, sample.user(name), sql)[1]))


def test_relations_can_be_joined(sample: SampleCopy) -> None:
    sql = """SELECT e.name, count(*) FROM elections e JOIN ballots b ON b.election = e.name
             GROUP BY e.name ORDER BY e.name COLLATE NOCASE"""
    expected = [(poll.name, len(poll.ballots)) for poll in SAMPLE_ELECTIONS if poll.ballots]
    assert query(sample, sql) == sorted(expected, key=lambda row: row[0].casefold())
    assert query(sample, "SELECT count(*) FROM Users") == [(len(SAMPLE_PEOPLE),)]
    assert len(query(sample, "SELECT 1 FROM events, events")) == MAX_SHOWN


# The data of an event is JSON.
@pytest.mark.parametrize("table", ["json_each", "json_tree"])
def test_json_can_be_read_as_rows(sample: SampleCopy, table: str) -> None:
    first = read_rows(sample, "events")[0]["event_data"]
    sql = f"SELECT key, atom FROM events, {table}(event_data) WHERE event_id = 1"
    assert set(first.items()) <= set(query(sample, sql))


# Somebody who may see most must not see how people voted in secret, nor what could be guessed.
def test_no_query_reveals_a_secret_ballot_or_a_password_hash(sample: SampleCopy) -> None:
    secret = next(poll for poll in SAMPLE_ELECTIONS if poll.secret and poll.ballots)
    sql = f"SELECT * FROM rankings WHERE election = '{secret.name}'"
    assert query(sample, sql) == []
    hashes = {sample.user(name).hash.rpartition("$")[2] for name in ("ada", "grace")}
    for name in RELATIONS:
        shown = repr(query(sample, f"SELECT * FROM {name}"))
        assert not [kept for kept in hashes if kept in shown]


@pytest.mark.parametrize("name", ["alan", "barbara", "leslie", "niklaus", "radia"])
def test_others_cannot_query(sample: SampleCopy, name: str) -> None:
    with pytest.raises(NotPermitted):
        query(sample, "SELECT * FROM users", name)


NUMBERS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)"
# A million letters in a few steps; one call with them takes a minute.
LETTERS = "replace(" * 6 + "'a'" + ", 'a', 'aaaaaaaaaa')" * 6
BIG = f"WITH big(a) AS (SELECT substr({LETTERS}, 1, 999999))"
REJECTED = {
    "DELETE FROM users": "Only SELECT",
    "CREATE TABLE copies AS SELECT * FROM users": "Only SELECT",
    "ATTACH DATABASE '/tmp/x.db' AS x": "Only SELECT",
    "PRAGMA table_list": "Only SELECT",
    "SELECT 1; SELECT 2": "one statement at a time. The tables",
    "SELECT * FROM passwords": "No such table: passwords. The tables are: users,",
    "SELECT load_extension('x')": "The function load_extension is not available",
    "SELECT printf('%.*c', 900000000, 'x')": "The function printf is not available",
    f"{BIG} SELECT length(a || a) FROM big": "too big",
    f"{BIG} SELECT instr(a, substr(a, 1, 500000) || 'b') FROM big": "takes too long",
    f"SELECT {', '.join(['a'] * 9)} FROM ({BIG} SELECT a FROM big)": "result is too large",
    "SELECT \x00": "null character",
    f"{NUMBERS} SELECT count(*) FROM n": "takes too long",
    f"{NUMBERS} SELECT count(*) FROM n, json_each('[1, 2]')": "takes too long",
    f"{NUMBERS} SELECT replace(x, '1', 'one') FROM n ORDER BY 1": "takes too long",
}


@pytest.mark.parametrize("sql", REJECTED)
def test_anything_but_a_short_select_is_rejected(sample: SampleCopy, sql: str) -> None:
    with pytest.raises(InvalidInput) as rejected:
        query(sample, sql)
    assert REJECTED[sql] in rejected.value.errors["sql"]


# A query must not take the time of those who vote.
def test_only_some_queries_run_at_once(sample: SampleCopy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_queries, "_free", threading.BoundedSemaphore(1))
    assert audit_queries._free.acquire()
    with pytest.raises(Busy):
        query(sample, "SELECT 1")
    audit_queries._free.release()
    for sql in ("SELECT 1", "SELECT wrong", "SELECT 2"):
        with suppress(InvalidInput):
            query(sample, sql)
    assert query(sample, "SELECT 3") == [(3,)]
