"""The views of the apps have the columns of their design documents, and work."""

from __future__ import annotations

from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

import pytest

from singletable import Store, Table, connect
from singletable.schema import find_tables
from singletable.sql import open_database, views_of
from singletable_apps.elections import entities, events
from singletable_apps.elections.roles import Role

# The relational tables of the design document of elections; `salt` is part of the hash.
DOCUMENT = {
    "users": ["name", "email", "hash", "role"],
    "elections": [
        *("name", "owner_name", "secret_ballot", "no_voting_before", "no_voting_after"),
        *("allow_edit", "allow_vote"),
    ],
    "candidates": ["election_name", "candidate_name"],
    "voters": ["election_name", "voter_name"],
    "ballots": ["election_name", "voter_name", "confirmation", "when_cast", "rankings"],
    "ballot_rankings": ["election_name", "voter_name", "candidate_name", "rank"],
    "counts": ["user_count", "election_count", "last_updated"],
    "syncs": ["last_event_id"],
    "events": ["event_id", "actor", "when_occurred", "event_type", "event_data"],
}


def test_elections_have_the_tables_of_the_document() -> None:
    views = views_of([entities.votes, events.event_log])
    columns = {one.name: {column.name for column in one.columns} for one in views}
    for name, expected in DOCUMENT.items():
        assert columns[name] >= set(expected), name


def test_election_is_counted_with_sql(tmp_path: Path) -> None:
    address, now = f"file:{tmp_path / 'votes.db'}", datetime(2026, 11, 3, tzinfo=UTC)
    with connect(address) as driver:
        store = Store(driver)
        store.admin.create_table(entities.votes)
        user = entities.User(
            name="alice",
            email="a@example.com",
            hash="…",
            role=Role.OWNER,
            user_id=1,
            credentials=1,
            when_registered=now,
            revision=1,
        )
        store.put(user)
        for voter, order in (("alice", "ab"), ("bob", "ba"), ("carol", "ab")):
            rankings = [entities.RankedCandidate(name, rank) for rank, name in enumerate(order, 1)]
            ballot = entities.Ballot(
                election_name="Best",
                voter_name=voter,
                when_cast=now,
                definition="d",
                revision=1,
                rankings=rankings,
            )
            store.put(ballot)
    sql = """select candidate_name, count(*) as votes from ballot_rankings
        where rank = 1 group by candidate_name order by votes desc"""
    names = {entities.votes: "vote_data"}
    with open_database(address).query(sql, views_of([entities.votes]), names) as result:
        assert list(result.rows) == [("a", 2), ("b", 1)]


@pytest.mark.parametrize("app", ["elections", "games", "polls", "portfolio", "skills"])
def test_every_app_has_views(app: str, tmp_path: Path) -> None:
    tables: list[Table] = find_tables(import_module(f"singletable_apps.{app}.entities"))
    address, names = f"file:{tmp_path / 'app.db'}", {table: table.name for table in tables}
    with connect(address) as driver:
        for table in tables:
            Store(driver).admin.create_table(table)
    database, views = open_database(address), views_of(tables)
    assert database.create_views(views, names) == views
    for view in views:
        with database.query(f'select * from "{view.name}"', [], names) as result:
            assert (list(result.rows), len(result.columns)) == ([], len(view.columns))
