"""The concurrency drill in short; and that it finds what it looks for."""

from __future__ import annotations

from pathlib import Path

import pytest

from drills.concurrency.clients import reader
from drills.concurrency.contests import contestants, contests, judged
from drills.concurrency.events import Events, Touch, Transaction
from drills.concurrency.lists import unordered
from drills.concurrency.registers import explained
from drills.concurrency.requests import table
from drills.faces import in_threads, in_turn
from singletable import Engine
from tests.drills.broken_drivers import BROKEN, LateWrites


def test_what_many_clients_see_is_as_if_they_took_turns(tmp_path: Path) -> None:
    found = list(contests(3, tmp_path, rounds=6, steps=25))
    assert [(one.name, fault) for one in found for fault in one.faults] == []
    assert sum(one.operations for one in found) > 1000


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_driver_is_found_guilty(fault: str) -> None:
    with Engine.in_memory() as engine:
        engine.execute(table())
        driver = BROKEN[fault](engine)
        events = Events()
        in_threads(driver, contestants(4, 40, events))
        if isinstance(driver, LateWrites):
            driver.finish()
        in_turn(engine, [reader(events)])
        assert judged(events) != []


# The judge by itself: what is right, and the smallest thing that is wrong.
A = Touch("k", 0, 10, "put", "a")
B = Touch("k", 5, 15, "put", "b", seen="a")
RIGHT = {
    "nothing": [],
    "a value that was put": [A, Touch("k", 11, 12, "get", seen="a")],
    "either of two at once": [A, B, Touch("k", 16, 17, "get", seen="b")],
    "read while it is put": [A, Touch("k", 1, 2, "get", seen=None)],
    "a swap that fits": [A, Touch("k", 11, 12, "swap", "c", "a", True, seen="a")],
    "a swap that does not": [A, Touch("k", 11, 12, "swap", "c", "x", False, seen="a")],
    "counts in turn": [Touch("k", 0, 9, "add", seen=2), Touch("k", 1, 8, "add", seen=1)],
    "removed": [A, Touch("k", 11, 12, "remove", seen="a"), Touch("k", 13, 14, "get", seen=None)],
    "put unseen": [Touch("k", 0, 9, "put", "z", saw=False), Touch("k", 10, 11, "get", seen="z")],
}
WRONG = {
    "a stale read": [A, Touch("k", 11, 12, "get", seen=None)],
    "a value from nowhere": [A, Touch("k", 11, 12, "get", seen="x")],
    "there and gone again": [
        A,
        Touch("k", 1, 2, "get", seen="a"),
        Touch("k", 3, 4, "get", seen=None),
    ],
    "counted twice the same": [Touch("k", 0, 9, "add", seen=1), Touch("k", 1, 8, "add", seen=1)],
    "a swap that should have failed": [A, Touch("k", 11, 12, "swap", "c", "x", True, seen="x")],
    "a swap that should not have": [A, Touch("k", 11, 12, "swap", "c", "a", False, seen="a")],
    "the wrong old value": [A, Touch("k", 11, 15, "put", "b", seen=None)],
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_an_order_explains_is_right(name: str) -> None:
    assert explained(RIGHT[name])


@pytest.mark.parametrize("name", WRONG)
def test_what_no_order_explains_is_wrong(name: str) -> None:
    assert not explained(WRONG[name])


def added(name: str, began: int, ended: int, *keys: str) -> Transaction:
    return Transaction(name, began, ended, added={key: f"{name}:{key}" for key in keys})


def saw(name: str, began: int, ended: int, **lists: str) -> Transaction:
    read = {
        key: tuple(f"{writer}:{key}" for writer in writers.split())
        for key, writers in lists.items()
    }
    return Transaction(name, began, ended, read)


LAST = saw("last", 100, 101, a="x y", b="x y")
BOTH = [added("x", 0, 10, "a", "b"), added("y", 5, 15, "a", "b"), LAST]


def test_transactions_in_some_order_are_right() -> None:
    assert list(unordered([*BOTH, saw("r", 1, 20, a="x", b="x")], set())) == []


@pytest.mark.parametrize(
    ("odd", "why"),
    [
        ([saw("r", 1, 20, a="x", b="")], "comes before the next"),
        ([saw("r", 16, 20, a="x", b="x")], "comes before the next"),
        ([saw("r", 1, 20, a="x", b="x y")], "comes before the next"),
        ([saw("r", 1, 20, a="y", b="x")], "what no order of additions gives"),
        ([added("z", 1, 20, "a")], "is lost"),
        ([saw("later", 200, 201, a="x y y")], "twice"),
    ],
)
def test_transactions_in_no_order_are_wrong(odd: list[Transaction], why: str) -> None:
    assert why in " ".join(unordered([*BOTH, *odd], set()))


def test_what_was_refused_must_not_be_there() -> None:
    assert list(unordered(BOTH, {"y:a"})) == ["y:a was refused, and is in a"]


# Two clients that each watch what the other adds to: one of them must have been refused.
def test_write_skew_is_wrong() -> None:
    skewed = [
        Transaction("x", 0, 10, {"a": ()}, {"b": "x:b"}),
        Transaction("y", 0, 10, {"b": ()}, {"a": "y:a"}),
        Transaction("last", 20, 21, {"a": ("y:a",), "b": ("x:b",)}),
    ]
    assert "comes before the next" in " ".join(unordered(skewed, set()))
