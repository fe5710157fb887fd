"""Partitions of many pages: no item is lost or returned twice."""

from __future__ import annotations

import pytest

from singletable.store import Call, Store
from tests.store.stores import all_pages, request_names
from tools.testing.designs.votes import Ballot, Candidate, Session, ballot, votes

ALL = Ballot.key.partition("L")
MANY = 300
NAMES = [f"voter{number:05d}" for number in range(MANY)]


@pytest.fixture
def store(empty: Store) -> Store:
    empty.admin.create_table(votes)
    # About ten kilobytes each: three pages of a megabyte.
    empty.put_many(
        ballot(name, rank=number, notes=["x" * 9950]) for number, name in enumerate(NAMES)
    )
    return empty


def test_query_of_many_pages_returns_each_item_once(store: Store) -> None:
    assert [one.voter for one in store.query(ALL)] == NAMES
    assert [one.voter for one in store.query(ALL, reverse=True, limit=150)] == NAMES[::-1][:150]
    assert store.count(ALL) == MANY
    assert store.count(ALL.lt(NAMES[250])) == 250
    assert store.count(Ballot.by_voter(NAMES[7])) == 1


def test_query_skips_pages_without_matches(store: Store) -> None:
    last = Ballot.rank >= MANY - 2
    assert [one.voter for one in store.query(ALL, where=last)] == NAMES[-2:]
    assert [one.voter for one in store.query(ALL, where=last, limit=1)] == NAMES[-2:-1]
    assert store.count(ALL, where=last) == 2
    page = store.page(ALL, 1, where=last)
    assert [one.voter for one in page.items] == NAMES[-2:-1]
    rest = store.page(ALL, 5, where=last, cursor=page.cursor)
    assert ([one.voter for one in rest.items], rest.cursor) == (NAMES[-1:], None)


def test_pages_have_no_gaps(store: Store) -> None:
    pages = all_pages(store.page, ALL, 70)
    assert [one.voter for page in pages for one in page.items] == NAMES


def test_select_reads_many_pages(store: Store) -> None:
    assert [rank for (rank,) in store.select(ALL, Ballot.rank)] == list(range(MANY))


# One more query per page, only to learn that there is no more, would double the cost.
def test_page_sends_one_query(empty: Store, calls: list[Call]) -> None:
    empty.admin.create_table(votes)
    empty.put_many(ballot(name) for name in NAMES[:20])
    store = empty.observed(calls.append)
    first = store.page(ALL, 10)
    second = store.page(ALL, 10, cursor=first.cursor)
    assert (len(first.items), len(second.items), second.cursor) == (10, 10, None)
    assert request_names(calls) == [["Query"], ["Query"]]


def test_query_skips_items_of_other_entities(empty: Store) -> None:
    empty.admin.create_table(votes)
    empty.put_many(Candidate(election="L", name=name) for name in NAMES[:300])
    empty.put_many(Session(voter="ada", number=number) for number in range(300))
    empty.put(ballot("ada"))
    assert [one.voter for one in empty.query(ALL, limit=1)] == ["ada"]
    assert empty.count(Candidate.key.partition("L")) == 300
    page = empty.page(Session.key.partition("ada"), 299)
    assert (len(page.items), page.cursor is None) == (299, False)
