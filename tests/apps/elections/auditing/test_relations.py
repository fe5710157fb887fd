"""The table as relations: natural keys, typed values, whatever page they are read in."""

from __future__ import annotations

from base64 import urlsafe_b64decode
from datetime import datetime

import pytest

from singletable import Engine, InvalidCursor
from singletable_apps.elections.audit import (
    RELATIONS,
    BallotRow,
    CandidateRow,
    CountsRow,
    ElectionRow,
    EventRow,
    RankingRow,
    Row,
    UserRow,
    VoterRow,
    row_values,
)
from singletable_apps.elections.entities import State
from singletable_apps.elections.errors import NotFound
from singletable_apps.elections.keys import generate_keys
from singletable_apps.elections.sample import SAMPLE_ELECTIONS, SAMPLE_PEOPLE
from singletable_apps.elections.service import open_elections
from tests.apps.support.elections.sample import FAST_PASSWORDS, SampleCopy, copy_sample


@pytest.fixture(scope="module")
def sample() -> SampleCopy:
    return copy_sample()


def _rows(sample: SampleCopy, name: str, size: int = 1000) -> list[Row]:
    found: list[Row] = []
    cursor = None
    while True:
        page = sample.elections.audit.relation(sample.user("grace"), name, size, cursor)
        assert page.relation.name == name
        assert len(page.rows) <= size
        found += page.rows
        cursor = page.cursor
        if cursor is None:
            return found


@pytest.mark.parametrize("name", RELATIONS)
@pytest.mark.parametrize("size", [1, 2, 7])
def test_pages_of_every_size_give_the_same_rows(sample: SampleCopy, name: str, size: int) -> None:
    assert _rows(sample, name, size) == _rows(sample, name)


def test_users_are_those_who_registered(sample: SampleCopy) -> None:
    rows = [row for row in _rows(sample, "users") if isinstance(row, UserRow)]
    assert [(row.name, row.role) for row in rows] == sorted(
        (person.name, person.role) for person in SAMPLE_PEOPLE
    )
    assert [row.user_id for row in sorted(rows, key=lambda row: row.when_registered)] == list(
        range(1, len(SAMPLE_PEOPLE) + 1)
    )


def test_elections_are_those_of_the_sample(sample: SampleCopy) -> None:
    rows = [row for row in _rows(sample, "elections") if isinstance(row, ElectionRow)]
    assert [row.name for row in rows] == sorted(
        (poll.name for poll in SAMPLE_ELECTIONS), key=str.casefold
    )
    by_name = {poll.name: poll for poll in SAMPLE_ELECTIONS}
    for row in rows:
        poll = by_name[row.name]
        assert (row.owner, row.state, row.secret_ballot) == (poll.owner, poll.state, poll.secret)
        assert (row.candidates, row.voters) == (len(poll.candidates), len(poll.voters))
        assert (row.signature is not None) == (poll.state is State.CLOSED)


def test_candidates_voters_and_ballots_go_by_election_and_name(sample: SampleCopy) -> None:
    polls = sorted(SAMPLE_ELECTIONS, key=lambda poll: poll.name.casefold())
    candidates = [row for row in _rows(sample, "candidates") if isinstance(row, CandidateRow)]
    assert [(row.election, row.candidate) for row in candidates] == [
        (poll.name, one) for poll in polls for one in sorted(poll.candidates)
    ]
    assert _rows(sample, "voters") == [
        VoterRow(poll.name, one) for poll in polls for one in sorted(poll.voters)
    ]
    ballots = [row for row in _rows(sample, "ballots") if isinstance(row, BallotRow)]
    assert [(row.election, row.voter, row.sealed) for row in ballots] == [
        (poll.name, voter, poll.secret) for poll in polls for voter, _ in sorted(poll.ballots)
    ]
    assert all((row.confirmation is None) == row.sealed for row in ballots)


def test_an_open_ballot_gives_a_row_for_each_candidate_it_ranks(sample: SampleCopy) -> None:
    rows = [row for row in _rows(sample, "rankings") if isinstance(row, RankingRow)]
    boat = [row for row in rows if row.election == "The name of the boat"]
    assert [(row.candidate, row.rank) for row in boat if row.voter == "Ada"] == [
        ("Heron", 1),
        ("Kingfisher", 2),
    ]
    assert {row.rank for row in boat if row.voter == "Donald"} == {1}


# Not even an auditor, nor the owner, sees what is under a seal.
def test_a_sealed_ballot_gives_no_rankings(sample: SampleCopy) -> None:
    secret = {poll.name for poll in SAMPLE_ELECTIONS if poll.secret}
    told = {row.election for row in _rows(sample, "rankings") if isinstance(row, RankingRow)}
    assert told == {poll.name for poll in SAMPLE_ELECTIONS if poll.ballots} - secret


def test_events_go_in_order_and_hide_hashes_of_passwords(sample: SampleCopy) -> None:
    rows = [row for row in _rows(sample, "events") if isinstance(row, EventRow)]
    assert [row.event_id for row in rows] == list(range(1, len(rows) + 1))
    assert rows[0].event_data["hash"] == "$argon2id$v=19$m=64,t=1,p=1$(hidden)"
    (counts,) = _rows(sample, "counts")
    assert isinstance(counts, CountsRow)
    assert (counts.users, counts.elections, counts.events) == (
        len(SAMPLE_PEOPLE),
        len(SAMPLE_ELECTIONS),
        len(rows),
    )


@pytest.mark.parametrize("name", RELATIONS)
def test_columns_say_what_they_hold_and_no_key_is_in_sight(sample: SampleCopy, name: str) -> None:
    kinds = {"text": str, "number": int, "yes or no": bool, "time": datetime, "JSON": dict}
    relation = RELATIONS[name]
    assert relation.description.endswith(".")
    for row in _rows(sample, name):
        values = row_values(row)
        assert list(values) == [column.name for column in relation.columns]
        for column in relation.columns:
            value = values[column.name]
            assert column.description
            assert isinstance(value, kinds[column.kind]) or (column.optional and value is None)
            assert not column.name.upper().endswith(("PK", "SK"))
            assert not (isinstance(value, str) and "ELECTION#" in value)


def test_a_cursor_tells_nothing_and_is_good_for_its_relation_alone(sample: SampleCopy) -> None:
    grace, auditing = sample.user("grace"), sample.elections.audit
    cursor = auditing.relation(grace, "users", 1).cursor
    assert cursor is not None
    assert b"Ada" not in urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    changed = cursor[:-2] + ("AA" if not cursor.endswith("AA") else "BB")
    for name, given in (("elections", cursor), ("users", changed), ("users", "?"), ("users", "é")):
        with pytest.raises(InvalidCursor, match="Begin without one"):
            auditing.relation(grace, name, 1, given)


def _ranked(ballot: str) -> int:
    return len(ballot.replace(" = ", " > ").split(" > "))


_WITHOUT_CLAUDE = [
    *("Donald", "Donald", "Donald"),
    *("Frances", "Frances"),
    *("Leslie", "Leslie"),
    *("Margaret", "Margaret", "Margaret"),
]


# Between two pages somebody takes back the ballot where the first page ended, or renames all.
@pytest.mark.parametrize("renamed", [False, True])
def test_pages_go_on_when_the_table_has_changed(renamed: bool) -> None:
    sample = copy_sample()
    grace, auditing, lunch = sample.user("grace"), sample.elections.audit, "What is for lunch"
    boat = [ballot for _, ballot in SAMPLE_ELECTIONS[1].ballots]
    first = auditing.relation(grace, "rankings", sum(map(_ranked, boat)) + 1)
    assert first.rows[-1] == RankingRow(lunch, "Claude", "Pancakes", 1)
    if renamed:
        sample.elections.lifecycle.rename(sample.user("claude"), lunch, "A lunch")
    else:
        sample.elections.voting.withdraw(sample.user("claude"), lunch)
    rest = auditing.relation(grace, "rankings", 1000, first.cursor).rows
    voters = [row.voter for row in rest if isinstance(row, RankingRow) and row.election == lunch]
    assert voters == ([] if renamed else _WITHOUT_CLAUDE)
    assert {row.election for row in rest if isinstance(row, RankingRow)} - {lunch} == {
        "Where we go in summer"
    }


def test_another_relation_is_not_there(sample: SampleCopy) -> None:
    with pytest.raises(NotFound, match="There are: users, elections, candidates, voters"):
        sample.elections.audit.relation(sample.user("grace"), "ghosts", 1)


def test_an_empty_store_has_empty_relations() -> None:
    elections = open_elections(Engine.in_memory(), generate_keys(), passwords=FAST_PASSWORDS)
    ada = elections.people.register("Ada", "ada@example.org", "lantern copper river")
    rows = {name: len(elections.audit.relation(ada, name, 10).rows) for name in RELATIONS}
    assert {name for name, count in rows.items() if count} == {"users", "events", "counts"}
