"""A result that many people watch at once is computed once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest

from singletable_apps.shared.results import ResultCache

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)


def numbers() -> Iterator[int]:
    return count(1)


@pytest.mark.parametrize(
    ("version", "later", "expected"),
    [
        (None, 0.9 * SECOND, 1),
        (None, SECOND, 2),
        (None, -SECOND, 2),  # a clock that was set back
        (1, 60 * SECOND, 1),
        (2, 0.9 * SECOND, 1),
        (2, SECOND, 2),
    ],
    ids=str,
)
def test_value_is_fresh_for_its_maximum_age_or_while_its_version_is_current(
    version: int | None, later: timedelta, expected: int
) -> None:
    cache, numbered = ResultCache[int](SECOND), numbers()
    first = None if version is None else 1
    assert cache.get("lunch", lambda: next(numbered), lambda: NOON, first) == 1
    again = cache.get("lunch", lambda: next(numbered), lambda: NOON + later, version)
    assert again == expected
    assert cache.get("dinner", lambda: 7, lambda: NOON) == 7


def test_put_replaces_the_cached_value() -> None:
    cache, numbered = ResultCache[int](SECOND), numbers()
    cache.get("lunch", lambda: next(numbered), lambda: NOON)
    cache.put("lunch", 42, NOON)
    assert cache.get("lunch", lambda: next(numbered), lambda: NOON) == 42


def test_concurrent_callers_wait_and_share_one_computation() -> None:
    cache, numbered = ResultCache[int](SECOND), numbers()
    started, proceed = threading.Event(), threading.Event()

    def compute() -> int:
        started.set()
        assert proceed.wait(10)
        return next(numbered)

    with ThreadPoolExecutor(8) as pool:
        first = pool.submit(cache.get, "lunch", compute, lambda: NOON)
        assert started.wait(10)
        others = [pool.submit(cache.get, "lunch", compute, lambda: NOON) for _ in range(7)]
        proceed.set()
        assert {future.result() for future in [first, *others]} == {1}


def test_failed_computation_is_repeated_by_the_next_caller() -> None:
    cache = ResultCache[int](SECOND)

    def fail() -> int:
        raise LookupError("gone")

    with pytest.raises(LookupError):
        cache.get("lunch", fail, lambda: NOON)
    assert cache.get("lunch", lambda: 1, lambda: NOON) == 1
