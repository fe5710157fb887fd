"""Queries: range, order, limit and filter."""

from __future__ import annotations

from datetime import timedelta

import pytest

from singletable.errors import InvalidValue
from singletable.schema import Selection
from singletable.store import Store
from tools.testing.designs.votes import NOON, Ballot, Candidate, Election, ballot, votes

NAMES = ["ada", "bea", "cid", "dan", "eva"]
ALL = Ballot.key.partition("L")


@pytest.fixture
def store(empty: Store) -> Store:
    empty.admin.create_table(votes)
    # Other items in the same partition, before, between and after: a query never returns them.
    empty.create(Election(name="L"))
    empty.create(Candidate(election="L", name="Ann"))
    for rank, name in enumerate(NAMES):
        empty.put(ballot(name, rank=rank, when_cast=NOON + timedelta(days=rank)))
    empty.put(ballot("zoe", election="M"))
    return empty


def names(
    store: Store, selection: Selection[Ballot], *, reverse: bool = False, consistent: bool = False
) -> list[str]:
    each = store.query(selection, reverse=reverse, consistent=consistent)
    found = [one.voter for one in each]
    assert store.count(selection) == len(found)
    return found


RANGES: dict[str, tuple[Selection[Ballot], list[str]]] = {
    "all": (ALL, NAMES),
    "one": (ALL.eq("cid"), ["cid"]),
    "none": (ALL.eq("nobody"), []),
    "lower": (ALL.lt("cid"), ["ada", "bea"]),
    "up_to": (ALL.le("cid"), ["ada", "bea", "cid"]),
    "higher": (ALL.gt("cid"), ["dan", "eva"]),
    "from": (ALL.ge("cid"), ["cid", "dan", "eva"]),
    "between": (ALL.between("bea", "dan"), ["bea", "cid", "dan"]),
    "prefix": (ALL.begins_with("b"), ["bea"]),
    "of_nobody": (Ballot.key.partition("N"), []),
}


@pytest.mark.parametrize("name", RANGES)
@pytest.mark.parametrize("consistent", [False, True])
def test_query_returns_items_in_range(store: Store, name: str, consistent: bool) -> None:
    selection, expected = RANGES[name]
    assert names(store, selection, consistent=consistent) == expected


@pytest.mark.parametrize("name", RANGES)
def test_reverse_query_returns_the_opposite_order(store: Store, name: str) -> None:
    selection, expected = RANGES[name]
    assert names(store, selection, reverse=True) == expected[::-1]


@pytest.mark.parametrize("limit", [1, 2, 4, 5, 6, 100])
@pytest.mark.parametrize("name", ["all", "lower"])
def test_query_limit(store: Store, limit: int, name: str) -> None:
    selection, expected = RANGES[name]
    assert [one.voter for one in store.query(selection, limit=limit)] == expected[:limit]
    backwards = store.query(selection, limit=limit, reverse=True)
    assert [one.voter for one in backwards] == expected[::-1][:limit]


@pytest.mark.parametrize("limit", [1, 2, 3, 9])
def test_query_limit_applies_after_the_filter(store: Store, limit: int) -> None:
    odd = Ballot.rank.in_(1, 3)
    assert [one.voter for one in store.query(ALL, where=odd)] == ["bea", "dan"]
    found = store.query(ALL, where=odd, limit=limit)
    assert [one.voter for one in found] == ["bea", "dan"][:limit]
    assert store.count(ALL, where=odd) == 2


def test_query_of_an_index(store: Store) -> None:
    store.put(ballot("ada", election="M", when_cast=NOON + timedelta(hours=1)))
    of_ada = Ballot.by_voter("ada")
    assert [one.election for one in store.query(of_ada)] == ["L", "M"]
    assert [one.election for one in store.query(of_ada, reverse=True)] == ["M", "L"]
    assert [one.election for one in store.query(of_ada.gt(NOON))] == ["M"]
    assert [one.election for one in store.query(of_ada.eq(NOON).eq("L"))] == ["L"]
    assert store.count(of_ada) == 2


def test_consistent_query_of_a_global_index_raises(store: Store) -> None:
    for ask in (store.query, store.count):
        with pytest.raises(InvalidValue, match="global index"):
            ask(Ballot.by_voter("ada"), consistent=True)
    with pytest.raises(InvalidValue, match="global index"):
        store.page(Ballot.by_voter("ada"), 1, consistent=True)


def test_query_reads_lazily(store: Store) -> None:
    each = store.query(ALL)
    assert next(each).voter == "ada"
    assert next(each).voter == "bea"
    store.delete(Ballot.key("L", "ada"))
    assert [one.voter for one in store.query(ALL)] == NAMES[1:]
