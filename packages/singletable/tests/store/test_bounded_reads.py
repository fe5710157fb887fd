"""Reads with max_read: DynamoDB evaluates no more items, and a cursor continues."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.errors import InvalidValue, ReadLimitReached
from singletable.store import Call, Page, Store
from tests.store.store_adapter import StoreOpener
from tests.store.stores import all_pages, open_store
from tests.store.tracker import Hit, tracker
from tools.testing.designs.votes import Ballot, ballot, votes

MANY = 40
ALL = Ballot.key.partition("L")
HITS = Hit.key.partition("home")
RARE = Ballot.rank == 37
SHARDS = 3


@pytest.fixture
def store(opener: StoreOpener, calls: list[Call]) -> Store:
    store = opener.open(observers=[calls.append])
    store.admin.create_table(votes)
    store.admin.create_table(tracker)
    store.put_many(ballot(f"v{number:02}", rank=number, choice="Ann") for number in range(MANY))
    store.put_many(
        Hit(page="home", number=number, kind="bot" if number % 4 else "view")
        for number in range(MANY)
    )
    calls.clear()
    return store


def _evaluated(calls: list[Call]) -> int:
    """Return the sum of the limits of all queries, which bound what they evaluate."""
    limits = [getattr(sent.operation, "limit", None) for call in calls for sent in call.requests]
    assert None not in limits
    return sum(limit or 0 for limit in limits)


# Without a bound, a filtered page reads the whole partition if few items match.
def test_filtered_page_reads_no_more_than_the_bound(store: Store, calls: list[Call]) -> None:
    page = store.page(ALL, 5, where=RARE, max_read=10)
    assert (page.items, page.previous) == ([], None)
    assert page.cursor is not None
    assert _evaluated(calls) == 10


# Not on other engines: moto charges every request the same.
def test_bounded_page_consumes_fewer_units(calls: list[Call]) -> None:
    store = open_store(votes, observers=[calls.append])
    store.put_many(ballot(f"v{one:02}", rank=one, notes=["x" * 5000]) for one in range(MANY))
    calls.clear()
    store.page(ALL, 5, where=RARE, max_read=10)
    store.page(ALL, 5, where=RARE)
    assert calls[0].read_units < calls[1].read_units / 3


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("max_read", [3, 7, 10, 40, 41])
def test_bounded_pages_find_all_items(store: Store, max_read: int, reverse: bool) -> None:
    for selection, where in ((ALL, Ballot.rank >= 35), (HITS, Hit.kind == "view"), (HITS, None)):
        options: dict[str, Any] = {"where": where, "reverse": reverse}
        wanted = list(store.query(selection, **options))
        pages = all_pages(store.page, selection, 4, max_read=max_read, **options)
        assert [one for page in pages for one in page.items] == wanted


def test_unfiltered_page_at_the_bound_has_a_cursor(store: Store) -> None:
    page = store.page(ALL, 5, max_read=3)
    assert [one.rank for one in page.items] == [0, 1, 2]
    following = store.page(ALL, 5, cursor=page.cursor, max_read=40)
    assert [one.rank for one in following.items] == [3, 4, 5, 6, 7]
    back = store.page(ALL, 3, cursor=following.previous, max_read=40)
    assert [one.rank for one in back.items] == [0, 1, 2]


READS: dict[str, Callable[[Store, str | None], Any]] = {
    "query": lambda s, at: s.query(ALL, where=Ballot.rank >= 0, max_read=15, cursor=at),
    "select": lambda s, at: s.select(ALL, Ballot.rank, max_read=15, cursor=at),
    "hydrate": lambda s, at: s.hydrate(Ballot.by_choice("L", "Ann"), max_read=15, cursor=at),
    "shards": lambda s, at: s.query(HITS, max_read=15, cursor=at),
}


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_iterator_raises_at_the_bound_and_continues(
    store: Store, read: Callable[[Store, str | None], Any]
) -> None:
    found: list[object] = []
    cursor: str | None = None
    for rounds in range(20):
        try:
            for one in read(store, cursor):
                found.append(one)  # noqa: PERF402 - keep those before the error
        except ReadLimitReached as error:
            cursor = error.cursor
        else:
            assert rounds > 0
            break
    assert len(found) == MANY
    numbers = [one[0] if isinstance(one, tuple) else _number(one) for one in found]
    assert numbers == list(range(MANY))


def _number(item: Any) -> int:
    return int(item.number if isinstance(item, Hit) else item.rank)


def test_error_at_the_bound_has_the_bound(store: Store) -> None:
    with pytest.raises(ReadLimitReached) as caught:
        list(store.query(ALL, max_read=15))
    assert (caught.value.max_read, caught.value.count) == (15, None)


def test_limit_below_the_bound_does_not_raise(store: Store, calls: list[Call]) -> None:
    assert len(list(store.query(ALL, limit=10, max_read=10))) == 10
    assert len(list(store.query(ALL, max_read=41))) == MANY
    calls.clear()
    assert list(store.query(ALL, limit=1, where=Ballot.rank == 2, max_read=10)) != []
    assert _evaluated(calls) == 10


def test_count_stops_at_its_limit(store: Store, calls: list[Call]) -> None:
    assert store.count(ALL, limit=5) == 5
    assert _evaluated(calls) == 5
    assert store.count(ALL, limit=MANY) == MANY
    assert store.count(ALL, limit=MANY + 1) == MANY
    assert store.count(HITS, limit=5) == 5
    assert store.count(HITS, limit=1000) == MANY
    assert store.count(ALL, limit=2, where=Ballot.rank > 30) == 2
    assert store.count(ALL.lt("v03"), limit=2) == 2
    assert store.count(ALL.lt("v03"), limit=9) == 3


@pytest.mark.parametrize(("selection", "where"), [(ALL, Ballot.rank >= 30), (HITS, None)])
def test_count_raises_at_the_bound_with_what_it_counted(
    store: Store, selection: Any, where: Any
) -> None:
    total, cursor = 0, None
    for _ in range(20):
        try:
            total += store.count(selection, where=where, max_read=12, cursor=cursor)
            break
        except ReadLimitReached as error:
            total, cursor = total + (error.count or 0), error.cursor
    assert total == store.count(selection, where=where)
    assert store.count(selection, where=where, max_read=1000) == total
    assert store.count(HITS, max_read=12, limit=3) == 3


@pytest.mark.parametrize("bound", [0, -1, 1.5, "3", True])
def test_invalid_bounds_are_rejected(store: Store, calls: list[Call], bound: Any) -> None:
    for read in (
        lambda: store.page(ALL, 5, max_read=bound),
        lambda: store.query(ALL, max_read=bound),
        lambda: store.count(ALL, max_read=bound),
        lambda: store.count(ALL, limit=bound),
        lambda: store.select(ALL, Ballot.rank, max_read=bound),
        lambda: store.hydrate(ALL, max_read=bound),
    ):
        with pytest.raises(InvalidValue):
            read()
    assert not [call for call in calls if call.requests]


def test_bound_must_allow_one_item_of_each_shard(store: Store) -> None:
    with pytest.raises(InvalidValue, match="at least 3, one item of each shard"):
        store.page(HITS, 5, max_read=SHARDS - 1)
    assert len(store.page(HITS, 5, max_read=SHARDS).items) == 1


@given(
    numbers=st.sets(st.integers(0, 30)),
    max_read=st.integers(SHARDS, 12),
    size=st.integers(1, 5),
    reverse=st.booleans(),
    filtered=st.booleans(),
)
def test_bounded_walk_over_shards_goes_there_and_back(
    numbers: set[int], max_read: int, size: int, reverse: bool, filtered: bool
) -> None:
    store = open_store(tracker)
    store.put_many(
        Hit(page="home", number=one, kind="bot" if one % 3 else "view") for one in numbers
    )
    where = Hit.kind == "view" if filtered else None
    wanted = [one.number for one in store.query(HITS, where=where, reverse=reverse)]

    def read(cursor: str | None = None) -> Page[Hit]:
        return store.page(
            HITS, size, where=where, reverse=reverse, max_read=max_read, cursor=cursor
        )

    pages = all_pages(read)
    assert [one.number for page in pages for one in page.items] == wanted
    page = pages[-1]
    back = [one.number for one in page.items]
    while page.previous is not None:
        page = read(page.previous)
        back = [one.number for one in page.items] + back
    assert back == wanted
