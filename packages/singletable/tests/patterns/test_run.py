"""Run declared patterns: each reads as it is declared."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from singletable import (
    AsyncStore,
    Attr,
    Call,
    Entity,
    Index,
    Key,
    PatternCatalog,
    Selection,
    Store,
    Table,
    Unique,
    attr,
    connect_async,
    creates,
)
from singletable.errors import InvalidValue, OutOfScope
from tests.store.stores import open_store
from tools.testing.designs.votes import Election, File, votes

by_state = Index("GSI1", pk="GSI1PK", sk="GSI1SK", projection="KEYS_ONLY")
tasks = Table("tasks", indexes=[by_state])


class Task(Entity, table=tasks):
    """A task with a unique code, in an index without its text."""

    team: Attr[str] = attr()
    number: Attr[str] = attr()
    code: Attr[str] = attr()
    state: Attr[str] = attr(default="open")
    key = Key(pk=("TEAM", team), sk=("TASK", number))
    of_state = Key(pk=("STATE", state), sk=("TASK", number)).on(by_state)
    one_code = Unique(code, pk=("CODE", code), sk="CODE")


catalog = PatternCatalog("tasks", tasks, votes)
one = catalog.read("T1", "A task", Task.key)
one_now = catalog.read("T2", "A task, as it is now", Task.key, consistent=True)
by_code = catalog.read("T3", "A task by its code", Task.one_code)
all_of = catalog.read("T4", "Tasks of a team", Task.key.partition, consistent=True)
with_state = catalog.read("T5", "Tasks with a state", Task.of_state)
keys_only = catalog.read("T6", "Numbers of tasks", Task.of_state, hydrate=False)
file = catalog.read("T7", "An election", Election.key.partition, collection=File)


@catalog.read_function("T8")
def tasks_after(team: str, number: str) -> Selection[Task]:
    """Tasks of a team after a number."""
    return Task.key.partition(team).gt(number)


FIRST, SECOND = (Task(team="web", number=number, code=f"c{number}") for number in "12")


@pytest.fixture
def store(calls: list[Call]) -> Store:
    store = open_store(tasks, observers=[calls.append])
    for task in (FIRST, SECOND):
        store.create(task)
    calls.clear()
    return store


def last_request(calls: list[Call]) -> Any:
    return calls[-1].requests[-1].operation


def test_key_returns_the_item_or_none(store: Store, calls: list[Call]) -> None:
    assert store.run(one, "web", "1") == FIRST
    assert last_request(calls).consistent_read is None
    assert store.run(one, "web", "9") is None


def test_declared_consistency_is_requested(store: Store, calls: list[Call]) -> None:
    assert store.run(one_now, "web", "1") == FIRST
    assert last_request(calls).consistent_read is True
    assert list(store.run(all_of, "web")) == [FIRST, SECOND]
    assert last_request(calls).consistent_read is True


def test_unique_value_finds_the_item(store: Store) -> None:
    assert store.run(by_code, "c2") == SECOND


def test_function_selects_items(store: Store) -> None:
    assert list(store.run(tasks_after, "web", "1")) == [SECOND]


def test_calls_belong_to_the_pattern(store: Store, calls: list[Call]) -> None:
    store.run(one_now, "web", "1")
    list(store.run(with_state, "open"))
    assert [call.shape.patterns for call in calls] == [{"tasks:T2"}, {"tasks:T5"}]


def test_items_that_an_index_does_not_contain_are_hydrated(store: Store) -> None:
    assert list(store.run(with_state, "open")) == [FIRST, SECOND]
    with pytest.raises(InvalidValue, match="does not contain"):
        store.run(keys_only, "open")


def test_a_scope_applies(store: Store) -> None:
    scoped = store.scoped(team="web")
    assert scoped.run(one, "web", "1") == FIRST
    with pytest.raises(OutOfScope):
        scoped.run(one, "other", "1")


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        (catalog.write("W1", "Create a task", creates(Task)), "expected a pattern that reads"),
        (Task.key("web", "1"), "expected a pattern that reads"),
        (file, r"reads the collection File. Use collect\(File, …\)"),
    ],
    ids=["write", "key", "collection"],
)
def test_other_patterns_are_rejected(store: Store, pattern: Any, reason: str) -> None:
    with pytest.raises(InvalidValue, match=reason):
        store.run(pattern)


def test_async_store_runs_patterns() -> None:
    async def run() -> None:
        async with connect_async("memory:") as driver:
            store = AsyncStore(driver)
            await store.admin.create_table(tasks)
            await store.create(FIRST)
            assert await store.run(one, "web", "1") == FIRST
            assert await store.run(by_code, "c1") == FIRST
            assert [task async for task in store.run(with_state, "open")] == [FIRST]

    asyncio.run(run())
