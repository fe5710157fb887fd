"""The concurrency drill in short, and the faults that its checkers must detect."""

from __future__ import annotations

from pathlib import Path

import pytest

from drills.client_runners import run_in_threads, run_sequentially
from drills.concurrency import random_clients, run_rounds
from drills.concurrency_clients import (
    ConcurrentHistory,
    ItemOperation,
    ListTransaction,
    create_table,
    read_lists,
)
from drills.serializability import check_history, check_lists, is_linearizable
from singletable import Engine, ServiceUnavailable, TransactionConflict
from tests.drills.broken_drivers import BROKEN, LateWrites, Rejections


def test_concurrent_clients_are_serializable(tmp_path: Path) -> None:
    results = list(run_rounds(3, tmp_path, rounds=6, steps=25))
    assert [(result.name, fault) for result in results for fault in result.faults] == []
    assert sum(result.operations for result in results) > 1000


@pytest.mark.parametrize("fault", BROKEN)
def test_broken_driver_is_detected(fault: str) -> None:
    with Engine.in_memory() as engine:
        engine.execute(create_table())
        driver = BROKEN[fault](engine)
        history = ConcurrentHistory()
        run_in_threads(driver, random_clients(4, 40, history))
        if isinstance(driver, LateWrites):
            driver.finish()
        run_sequentially(engine, [read_lists(history)])
        assert check_history(history) != []


@pytest.mark.parametrize("is_applied", [True, False])
@pytest.mark.parametrize("error", [ServiceUnavailable(""), TransactionConflict("")])
def test_rejection_is_a_fault_only_if_the_operation_was_applied(
    error: Exception, is_applied: bool
) -> None:
    with Engine.in_memory() as engine:
        engine.execute(create_table())
        history = ConcurrentHistory()
        driver = Rejections(engine, error, is_applied=is_applied)
        run_in_threads(driver, random_clients(4, 40, history))
        run_sequentially(engine, [read_lists(history)])
        assert bool(check_history(history)) == is_applied


# The checker by itself, with the smallest histories that are wrong.
A = ItemOperation("k", 0, 10, "put", "a")
B = ItemOperation("k", 5, 15, "put", "b", value="a")
LINEARIZABLE = {
    "nothing": [],
    "read after a put": [A, ItemOperation("k", 11, 12, "get", value="a")],
    "concurrent puts": [A, B, ItemOperation("k", 16, 17, "get", value="b")],
    "read during a put": [A, ItemOperation("k", 1, 2, "get", value=None)],
    "compare and set of the current value": [
        A,
        ItemOperation("k", 11, 12, "compare_and_set", "c", "a", True, value="a"),
    ],
    "failed compare and set": [
        A,
        ItemOperation("k", 11, 12, "compare_and_set", "c", "x", False, value="a"),
    ],
    "concurrent counts": [
        ItemOperation("k", 0, 9, "add", value=2),
        ItemOperation("k", 1, 8, "add", value=1),
    ],
    "removed": [
        A,
        ItemOperation("k", 11, 12, "remove", value="a"),
        ItemOperation("k", 13, 14, "get", value=None),
    ],
    "put without a returned value": [
        ItemOperation("k", 0, 9, "put", "z", has_value=False),
        ItemOperation("k", 10, 11, "get", value="z"),
    ],
}
NOT_LINEARIZABLE = {
    "stale read": [A, ItemOperation("k", 11, 12, "get", value=None)],
    "value that was never written": [A, ItemOperation("k", 11, 12, "get", value="x")],
    "value that disappears": [
        A,
        ItemOperation("k", 1, 2, "get", value="a"),
        ItemOperation("k", 3, 4, "get", value=None),
    ],
    "lost count": [
        ItemOperation("k", 0, 9, "add", value=1),
        ItemOperation("k", 1, 8, "add", value=1),
    ],
    "compare and set that should have failed": [
        A,
        ItemOperation("k", 11, 12, "compare_and_set", "c", "x", True, value="x"),
    ],
    "compare and set that should have succeeded": [
        A,
        ItemOperation("k", 11, 12, "compare_and_set", "c", "a", False, value="a"),
    ],
    "wrong old value": [A, ItemOperation("k", 11, 15, "put", "b", value=None)],
}


@pytest.mark.parametrize("name", LINEARIZABLE)
def test_linearizable_history_is_accepted(name: str) -> None:
    assert is_linearizable(LINEARIZABLE[name])


@pytest.mark.parametrize("name", NOT_LINEARIZABLE)
def test_history_that_is_not_linearizable_is_rejected(name: str) -> None:
    assert not is_linearizable(NOT_LINEARIZABLE[name])


def append(name: str, started: int, ended: int, *keys: str) -> ListTransaction:
    return ListTransaction(name, started, ended, appended={key: f"{name}:{key}" for key in keys})


def read(name: str, started: int, ended: int, **lists: str) -> ListTransaction:
    values = {
        key: tuple(f"{writer}:{key}" for writer in writers.split())
        for key, writers in lists.items()
    }
    return ListTransaction(name, started, ended, values)


LAST = read("last", 100, 101, a="x y", b="x y")
BOTH = [append("x", 0, 10, "a", "b"), append("y", 5, 15, "a", "b"), LAST]


def test_serializable_transactions_are_accepted() -> None:
    assert list(check_lists([*BOTH, read("r", 1, 20, a="x", b="x")], set())) == []


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ([read("r", 1, 20, a="x", b="")], "comes before the next"),
        ([read("r", 16, 20, a="x", b="x")], "comes before the next"),
        ([read("r", 1, 20, a="x", b="x y")], "comes before the next"),
        ([read("r", 1, 20, a="y", b="x")], "that no order of appends explains"),
        ([append("z", 1, 20, "a")], "is lost"),
        ([read("later", 200, 201, a="x y y")], "twice"),
    ],
)
def test_transactions_that_are_not_serializable_are_rejected(
    wrong: list[ListTransaction], why: str
) -> None:
    assert why in " ".join(check_lists([*BOTH, *wrong], set()))


def test_rejected_append_must_not_be_present() -> None:
    assert list(check_lists(BOTH, {"y:a"})) == ["y:a was rejected, but is in a"]


# Each client checks the list that the other appends to: one of them must have been rejected.
def test_write_skew_is_rejected() -> None:
    skewed = [
        ListTransaction("x", 0, 10, {"a": ()}, {"b": "x:b"}),
        ListTransaction("y", 0, 10, {"b": ()}, {"a": "y:a"}),
        ListTransaction("last", 20, 21, {"a": ("y:a",), "b": ("x:b",)}),
    ]
    assert "comes before the next" in " ".join(check_lists(skewed, set()))
