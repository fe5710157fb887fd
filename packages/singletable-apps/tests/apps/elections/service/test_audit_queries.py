"""Auditors query the relations with SQL, and learn no more than the relations show."""

from __future__ import annotations

import pytest

from singletable_apps.elections.sample import SAMPLE_ELECTIONS, SAMPLE_PEOPLE
from singletable_apps.elections.service.audit import RELATIONS
from singletable_apps.elections.service.audit_queries import MAX_SHOWN, run_query
from singletable_apps.shared.errors import InvalidInput
from tests.apps.support.elections.sample import SampleCopy, copy_sample


@pytest.fixture(scope="module")
def sample() -> SampleCopy:
    return copy_sample()


def query(sample: SampleCopy, sql: str, name: str = "grace") -> list[tuple[object, ...]]:
    return list(map(tuple, run_query(sample.elections.audit, sample.user(name), sql)[1]))


def test_relations_can_be_joined(sample: SampleCopy) -> None:
    sql = """SELECT e.name, count(*) FROM elections e JOIN ballots b ON b.election = e.name
             GROUP BY e.name ORDER BY e.name COLLATE NOCASE"""
    expected = [(poll.name, len(poll.ballots)) for poll in SAMPLE_ELECTIONS if poll.ballots]
    assert query(sample, sql) == sorted(expected, key=lambda row: row[0].casefold())
    assert query(sample, "SELECT count(*) FROM Users") == [(len(SAMPLE_PEOPLE),)]
    assert len(query(sample, "SELECT 1 FROM events, events")) == MAX_SHOWN


# Somebody who may see most must not see how people voted in secret, nor what could be guessed.
def test_no_query_reveals_a_secret_ballot_or_a_password_hash(sample: SampleCopy) -> None:
    secret = next(poll for poll in SAMPLE_ELECTIONS if poll.secret and poll.ballots)
    sql = f"SELECT * FROM rankings WHERE election = '{secret.name}'"
    assert query(sample, sql) == []
    hashes = {sample.user(name).hash.rpartition("$")[2] for name in ("ada", "grace")}
    for name in RELATIONS:
        shown = repr(query(sample, f"SELECT * FROM {name}"))
        assert not [kept for kept in hashes if kept in shown]


NUMBERS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)"
REJECTED = {
    "DELETE FROM users": "Only SELECT",
    "CREATE TABLE copies AS SELECT * FROM users": "Only SELECT",
    "ATTACH DATABASE '/tmp/x.db' AS x": "Only SELECT",
    "PRAGMA table_list": "Only SELECT",
    "SELECT 1; SELECT 2": "one statement at a time. The tables",
    "SELECT * FROM passwords": "No such table: passwords. The tables are: users,",
    "SELECT load_extension('x')": "Only SELECT",
    "SELECT hex(zeroblob(100000000))": "too big",
    "SELECT \x00": "null character",
    f"{NUMBERS} SELECT count(*) FROM n": "takes too long",
    f"{NUMBERS} SELECT zeroblob(900000) FROM n ORDER BY 1": "takes too long",
}


@pytest.mark.parametrize("sql", REJECTED)
def test_anything_but_a_short_select_is_rejected(sample: SampleCopy, sql: str) -> None:
    with pytest.raises(InvalidInput) as rejected:
        query(sample, sql)
    assert REJECTED[sql] in rejected.value.errors["sql"]
