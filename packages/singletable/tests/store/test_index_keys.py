"""Index keys stay right, whichever fields an update changes."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from dynamodb_engine.engine import Engine
from dynamodb_engine.operations import GetItem
from dynamodb_engine.testing import InterruptedDriver
from singletable.errors import NotFound
from singletable.schema import Edit, Selection
from singletable.store import Store
from tests.store.indexed_entity import Task, all_items, check_indexes, tasks
from tests.store.store_adapter import StoreOpener
from tests.store.stores import open_store

ONE = Task.key("b", 1)
TABLES = (tasks,)


def numbers(store: Store, selection: Selection[Task]) -> list[int]:
    return [one.number for one in store.query(selection)]


EDITS: dict[str, Callable[[], list[Edit[Task]]]] = {
    "part_of_a_key": lambda: [Task.state.set("done")],
    "another_part": lambda: [Task.owner.set("bea")],
    "all_parts": lambda: [Task.owner.set("bea"), Task.state.set("held"), Task.level.set(8)],
    "added_to": lambda: [Task.level.add(3)],
    "added_to_what_is_absent": lambda: [Task.effort.add(3)],
    "removed": lambda: [Task.owner.remove()],
    "removed_to_its_default": lambda: [Task.state.remove()],
    "set_to_none": lambda: [Task.owner.set(None)],
    "set_if_missing": lambda: [Task.owner.set_if_missing("eva"), Task.effort.set_if_missing(2)],
    "tested_only": lambda: [Task.parts.append("x", "y", "z")],
    "stored_under_another_name": lambda: [Task.title.set("new title")],
    "nothing_in_a_key": lambda: [Task.parts[0].set("other")],
}


@pytest.mark.parametrize("level", [0, 4, 7])
@pytest.mark.parametrize("name", EDITS)
def test_update_sets_every_index_key_like_a_put(
    store: Store, opener: StoreOpener, name: str, level: int
) -> None:
    store.create(Task(board="b", number=1, owner="ada", level=level, parts=["p"], title="t"))
    changed = store.update(ONE, *EDITS[name]())
    assert store.get(ONE) == changed
    check_indexes(opener.driver, ["b"])
    with store.transaction() as transaction:
        transaction.update(ONE, *EDITS[name]())
    check_indexes(opener.driver, ["b"])


def test_update_moves_the_item_in_its_index(store: Store) -> None:
    for number in (1, 2):
        store.create(Task(board="b", number=number, owner="ada"))
    assert numbers(store, Task.owned("ada")) == [1, 2]
    store.update(ONE, Task.state.set("waiting"))
    assert numbers(store, Task.owned("ada")) == [2, 1]
    assert numbers(store, Task.owned("ada").eq("waiting")) == [1]
    store.update(ONE, Task.owner.set("bea"))
    assert (numbers(store, Task.owned("ada")), numbers(store, Task.owned("bea"))) == ([2], [1])
    store.update(ONE, Task.owner.remove())
    assert numbers(store, Task.owned("bea")) == []


def test_sparse_index_follows_its_condition(store: Store) -> None:
    store.create(Task(board="b", number=1, level=5))
    hot = Task.hot("b")
    assert numbers(store, hot) == []
    store.update(ONE, Task.level.add(1))
    assert numbers(store, hot) == [1]
    store.update(ONE, Task.state.set("done"))
    assert numbers(store, hot) == []
    store.update(ONE, Task.state.set("open"))
    assert numbers(store, hot) == [1]
    store.update(ONE, Task.parts.append("a", "b", "c"))
    assert numbers(store, hot) == []
    store.update(ONE, Task.parts.set([]))
    assert numbers(store, hot) == [1]


def test_index_by_updated_follows_every_update(store: Store, opener: StoreOpener) -> None:
    store.create(Task(board="b", number=1))
    store.update(ONE, Task.parts.append("x"))
    check_indexes(opener.driver, ["b"])


@pytest.mark.parametrize("times", [1, 3])
def test_concurrent_write_leaves_no_wrong_index_key(
    store: Store, opener: StoreOpener, times: int
) -> None:
    store.create(Task(board="b", number=1, owner="ada"))

    def add() -> None:
        store.update(ONE, Task.level.add(1))

    racing = InterruptedDriver(opener.driver, GetItem, after=add, times=times)
    changed = Store(racing).update(ONE, Task.state.set("done"))
    assert (changed.state, changed.level) == ("done", times)
    assert racing.count == times + 1
    check_indexes(opener.driver, ["b"])


# The item was missing when it was read and exists when it is written: its other fields are unknown.
def test_concurrent_create_gets_no_wrong_index_key(store: Store, opener: StoreOpener) -> None:
    def put() -> None:
        store.put(Task(board="b", number=1, owner="ada"))

    racing = InterruptedDriver(opener.driver, GetItem, after=put)
    with pytest.raises(NotFound):
        Store(racing).update(ONE, Task.state.set("done"))
    check_indexes(opener.driver, ["b"])


def test_index_keys_are_right_under_concurrency() -> None:
    engine = Engine.in_memory()
    store = open_store(tasks, driver=engine)
    for number in range(3):
        store.create(Task(board="b", number=number, owner="ada"))
    edits = [
        lambda: Task.state.set("done"),
        lambda: Task.state.set("open"),
        lambda: Task.level.add(1),
        lambda: Task.owner.set("bea"),
        lambda: Task.owner.set("ada"),
        lambda: Task.effort.add(1),
    ]

    def work(worker: int) -> None:
        for turn in range(20):
            edit = edits[(worker + turn) % len(edits)]()
            store.update(Task.key("b", turn % 3), edit)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    check_indexes(engine, ["b"])
    assert sum(int(item["version"]["N"]) for item in all_items(engine)) == 3 + 8 * 20
