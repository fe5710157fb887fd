"""Sharded keys: many partitions are read as one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar, cast

import pytest

from dynamodb_engine.operations import Driver, Operation, Query, Scan
from singletable.errors import InvalidCursor
from singletable.schema import Attr, Entity, Index, Key, Shards, Table, attr, padded
from singletable.store import AsyncStore, Call, Store
from tests.store.store_adapter import StoreOpener
from tests.store.stores import all_pages

R = TypeVar("R")

by_kind = Index("by_kind", pk="G1PK", sk="G1SK")
table = Table("events", indexes=[by_kind])


class Event(Entity, table=table):
    stream: Attr[str] = attr()
    number: Attr[int] = attr()
    kind: Attr[str | None] = attr(default=None)
    key = Key(pk=("STREAM", stream, Shards(5, by=number)), sk=("EVENT", number))
    of_kind = Key(pk=("KIND", kind, Shards(4)), sk=(padded(number, 6),)).on(by_kind)


MANY = 60
ALL = Event.key.partition("s")
CLICKS = Event.of_kind("click")


@pytest.fixture
def store(empty: Store) -> Store:
    empty.admin.create_table(table)
    empty.put_many(
        Event(stream="s", number=number, kind="click" if number % 2 else None)
        for number in range(MANY)
    )
    empty.put(Event(stream="t", number=1, kind="key"))
    return empty


ODD = list(range(1, MANY, 2))


def test_items_are_spread_over_shards(store: Store, opener: StoreOpener) -> None:
    items = opener.driver.execute(Scan("events")).items
    assert len({item["PK"]["S"] for item in items if "STREAM#s" in item["PK"]["S"]}) == 5
    assert len({item["G1PK"]["S"] for item in items if "G1PK" in item}) > 3


def test_get_from_a_shard(store: Store) -> None:
    assert store.get(Event.key("s", 7)) == Event(stream="s", number=7, kind="click")
    assert store.update(Event.key("s", 7), Event.kind.set("key")).kind == "key"
    assert store.get_many([Event.key("s", 7)])[0] is not None
    assert store.delete(Event.key("s", 7)) is not None
    assert store.get(Event.key("s", 7)) is None


@pytest.mark.parametrize("reverse", [False, True])
def test_query_merges_shards_in_order(store: Store, reverse: bool) -> None:
    step = -1 if reverse else 1
    assert [one.number for one in store.query(ALL, reverse=reverse)] == list(range(MANY))[::step]
    assert [one.number for one in store.query(CLICKS, reverse=reverse)] == ODD[::step]
    assert [one.number for one in store.query(ALL.between(10, 20))] == list(range(10, 21))
    assert [number for (number,) in store.select(CLICKS, Event.number, reverse=reverse)] == ODD[
        ::step
    ]


@pytest.mark.parametrize("limit", [1, 7, 59, 60, 61])
@pytest.mark.parametrize("reverse", [False, True])
def test_query_limit_applies_to_all_shards(store: Store, limit: int, reverse: bool) -> None:
    wanted = list(range(MANY))[:: -1 if reverse else 1][:limit]
    assert [one.number for one in store.query(ALL, limit=limit, reverse=reverse)] == wanted


def test_count_includes_all_shards(store: Store) -> None:
    assert store.count(ALL) == MANY
    assert store.count(CLICKS) == len(ODD)
    assert store.count(ALL.lt(10)) == 10
    assert store.count(ALL, where=Event.kind.missing()) == MANY // 2


@pytest.mark.parametrize("size", [1, 7, 30, 60, 100])
@pytest.mark.parametrize("reverse", [False, True])
def test_pages_continue_in_every_shard(store: Store, size: int, reverse: bool) -> None:
    for selection, wanted in ((ALL, list(range(MANY))), (CLICKS, ODD)):
        pages = all_pages(store.page, selection, size, reverse=reverse)
        assert all(page.items for page in pages)
        found = [one.number for page in pages for one in page.items]
        assert found == wanted[:: -1 if reverse else 1]


def test_cursor_of_shards_is_valid_for_one_query_only(store: Store) -> None:
    cursor = store.page(ALL, 7).cursor
    with pytest.raises(InvalidCursor):
        store.page(Event.key.partition("t"), 7, cursor=cursor)
    with pytest.raises(InvalidCursor):
        store.page(CLICKS, 7, cursor=cursor)


def test_filter_applies_to_all_shards(store: Store) -> None:
    odd = Event.kind == "click"
    assert [one.number for one in store.query(ALL, where=odd)] == ODD
    assert [one.number for one in store.query(ALL, where=odd, limit=3)] == ODD[:3]
    page = store.page(ALL, 29, where=odd)
    rest = store.page(ALL, 29, where=odd, cursor=page.cursor)
    assert [one.number for one in (*page.items, *rest.items)] == ODD
    assert rest.cursor is None


def test_update_moves_an_item_between_random_shards(store: Store) -> None:
    store.update(Event.key("s", 1), Event.kind.set(None))
    store.update(Event.key("s", 0), Event.kind.set("click"))
    assert [one.number for one in store.query(CLICKS)] == [0, *ODD[1:]]


class Gathers:
    """An async driver that responds to no query before all shards have sent theirs."""

    def __init__(self, driver: Driver, expected: int) -> None:
        self._driver = driver
        self._expected = expected
        self._complete = asyncio.Event()

    async def execute(self, operation: Operation[R], /) -> R:
        """Execute the operation once all shards have sent theirs."""
        self._expected -= 1
        if self._expected == 0:
            self._complete.set()
        await asyncio.wait_for(self._complete.wait(), 10)
        return self._driver.execute(operation)


async def numbers(store: AsyncStore) -> list[int]:
    return [one.number async for one in store.query(ALL)]


async def counted(store: AsyncStore) -> list[int]:
    return list(range(await store.count(ALL)))


async def paged(store: AsyncStore) -> list[int]:
    return [one.number for one in (await store.page(ALL, MANY)).items]


@pytest.mark.parametrize("ask", [numbers, counted, paged])
def test_async_query_reads_shards_concurrently(
    store: Store, opener: StoreOpener, ask: Callable[[AsyncStore], Awaitable[list[int]]]
) -> None:
    async def awaited() -> list[int]:
        return await ask(AsyncStore(Gathers(opener.driver, 5)))

    assert asyncio.run(awaited()) == list(range(MANY))


def test_call_lists_the_query_of_each_shard(store: Store, calls: list[Call]) -> None:
    watched = store.observed(calls.append)
    assert len(list(watched.query(ALL))) == MANY
    assert watched.count(ALL) == MANY
    for call in (calls[0], calls[-1]):
        asked = [cast(Query, one.operation) for one in call.requests]
        assert len({str(one.expression_attribute_values) for one in asked}) == 5
        assert call.read_units == sum(one.units for one in call.requests) > 0
