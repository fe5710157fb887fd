"""Pages in both directions: a walk forward and backward shows slices of the same list."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.errors import InvalidCursor
from singletable.schema import (
    Attr,
    Condition,
    Entity,
    Index,
    Key,
    Selection,
    Shards,
    Table,
    attr,
    expires,
    padded,
)
from singletable.store import Page, Store
from singletable.testing import StoreClock
from tests.store.stores import open_store
from tools.testing.designs.votes import NOON, Ballot, ballot, votes

by_kind = Index("by_kind", pk="G1PK", sk="G1SK", projection=["ends"])
by_shard = Index("by_shard", pk="G2PK", sk="G2SK")
logs = Table("logs", indexes=[by_kind, by_shard], ttl="ends")


class Entry(Entity, table=logs):
    log: Attr[str] = attr()
    number: Attr[int] = attr()
    odd: Attr[bool] = attr()
    ends: Attr[datetime | None] = expires(default=None)
    key = Key(pk=("LOG", log), sk=("ENTRY", padded(number, 3)))
    of_kind = Key(pk=("KIND", log), sk=("ENTRY", padded(number, 3))).on(by_kind)
    in_shard = Key(pk=("SHARD", log, Shards(3)), sk=("ENTRY", padded(number, 3))).on(by_shard)


class Note(Entity, table=logs):
    """An entity whose items are between the entries."""

    log: Attr[str] = attr()
    number: Attr[int] = attr()
    key = Key(pk=("LOG", log), sk=("ENTRY", padded(number, 3), "NOTE"))


class Event(Entity, table=logs, type_tag=("kind", "EVENT")):
    log: Attr[str] = attr()
    number: Attr[int] = attr()
    odd: Attr[bool] = attr()
    ends: Attr[datetime | None] = expires(default=None)
    key = Key(pk=("EVENTS", log, Shards(4, by=number)), sk=padded(number, 3))


KINDS: dict[str, tuple[type[Any], Any, bool]] = {
    "partition": (Entry, Entry.key.partition("a"), False),
    "partial index": (Entry, Entry.of_kind("a"), True),
    "random shards": (Entry, Entry.in_shard("a"), False),
    "shards": (Event, Event.key.partition("a"), False),
    "range": (Entry, Entry.key.partition("a").gt(2), False),
    "range of shards": (Event, Event.key.partition("a").lt(9), False),
}


def _numbers(page: Page[Any]) -> list[int]:
    return [one.number for one in page.items]


@given(
    numbers=st.sets(st.integers(0, 20)),
    gone=st.sets(st.integers(0, 20)),
    kind=st.sampled_from(sorted(KINDS)),
    reverse=st.booleans(),
    filtered=st.booleans(),
    steps=st.lists(st.tuples(st.booleans(), st.integers(1, 6)), max_size=12),
)
def test_pages_in_any_direction_are_slices_of_the_list(
    numbers: set[int],
    gone: set[int],
    kind: str,
    reverse: bool,
    filtered: bool,
    steps: list[tuple[bool, int]],
) -> None:
    entity, selection, hydrate = KINDS[kind]
    store = open_store(logs, clock=StoreClock())
    past = NOON - timedelta(days=1)
    store.put_many(
        entity(log="a", number=one, odd=one % 2 == 1, ends=past if one in gone else None)
        for one in numbers
    )
    store.put_many(Note(log="a", number=one) for one in numbers)
    options: dict[str, Any] = {"reverse": reverse, "hydrate": hydrate}
    if filtered and not hydrate:
        options["where"] = entity.odd == True  # noqa: E712
    reader = store.hydrate if hydrate else store.query
    listed = {key: value for key, value in options.items() if key != "hydrate"}
    wanted = [one.number for one in reader(selection, **listed)]
    low, high, page = 0, 0, store.page(selection, 3, **options)
    high = low + len(page.items)
    assert _numbers(page) == wanted[:3]
    for forward, size in steps:
        assert (page.cursor is None) == (high == len(wanted))
        assert page.previous is None or low > 0 or not page.items
        cursor = page.cursor if forward else page.previous
        if cursor is None:
            assert forward or low == 0
            continue
        page = store.page(selection, size, cursor=cursor, **options)
        if forward:
            low, high = high, min(high + size, len(wanted))
        else:
            low, high = max(low - size, 0), low
        assert _numbers(page) == wanted[low:high]
        if not forward:
            assert (page.previous is None) == (low == 0)


@pytest.fixture
def store(empty: Store) -> Store:
    empty.admin.create_table(votes)
    empty.put_many(ballot(f"v{number}", rank=number) for number in range(7))
    return empty


ALL = Ballot.key.partition("L")


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("where", [None, Ballot.rank > 0])
def test_previous_page_is_the_same_page(
    store: Store, reverse: bool, where: Condition[Ballot] | None
) -> None:
    first = store.page(ALL, 2, reverse=reverse, where=where)
    second = store.page(ALL, 2, reverse=reverse, where=where, cursor=first.cursor)
    third = store.page(ALL, 2, reverse=reverse, where=where, cursor=second.cursor)
    assert first.previous is None
    back = store.page(ALL, 2, reverse=reverse, where=where, cursor=third.previous)
    assert back.items == second.items
    assert store.page(ALL, 2, reverse=reverse, where=where, cursor=back.cursor).items == third.items
    start = store.page(ALL, 2, reverse=reverse, where=where, cursor=back.previous)
    assert (start.items, start.previous) == (first.items, None)
    assert store.page(ALL, 2, reverse=reverse, where=where, cursor=start.cursor) is not None


def test_previous_cursor_survives_deleted_items(store: Store) -> None:
    first = store.page(ALL, 3)
    second = store.page(ALL, 3, cursor=first.cursor)
    store.delete_many([Ballot.key("L", "v3"), Ballot.key("L", "v1")])
    back = store.page(ALL, 3, cursor=second.previous)
    assert [one.voter for one in back.items] == ["v0", "v2"]
    store.delete_many([Ballot.key("L", "v0"), Ballot.key("L", "v2")])
    empty = store.page(ALL, 3, cursor=second.previous)
    assert (empty.items, empty.previous) == ([], None)
    onward = store.page(ALL, 3, cursor=empty.cursor)
    assert [one.voter for one in onward.items] == ["v4", "v5", "v6"]


def test_previous_cursor_is_valid_for_its_query_only(store: Store) -> None:
    second = store.page(ALL, 2, cursor=store.page(ALL, 2).cursor)
    selection: Selection[Any]
    for selection in (Ballot.key.partition("M"), ALL.gt("a"), Ballot.by_voter("v1")):
        with pytest.raises(InvalidCursor):
            store.page(selection, 2, cursor=second.previous)
    with pytest.raises(InvalidCursor):
        store.page(ALL, 2, cursor=second.previous, reverse=True)
    with pytest.raises(InvalidCursor, match=r"page\("):
        store.query(ALL, cursor=second.previous)


def test_query_continues_at_the_cursor_of_a_page(store: Store) -> None:
    cursor = store.page(ALL, 2).cursor
    assert [one.voter for one in store.query(ALL, cursor=cursor, limit=2)] == ["v2", "v3"]
    assert next(iter(store.select(ALL, Ballot.rank, cursor=cursor))) == (2,)
    assert store.count(ALL, cursor=cursor) == 5
