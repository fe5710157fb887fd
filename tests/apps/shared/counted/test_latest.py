"""However many look at the same thing at once, it is made once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest

from singletable_apps.shared.counted import Latest

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)


def numbers() -> Iterator[int]:
    return count(1)


@pytest.mark.parametrize(
    ("version", "later", "made"),
    [
        (None, 0.9 * SECOND, 1),
        (None, SECOND, 2),
        (None, -SECOND, 2),  # a clock that was put back
        (1, 60 * SECOND, 1),
        (2, 0.9 * SECOND, 1),
        (2, SECOND, 2),
    ],
    ids=str,
)
def test_a_value_is_good_for_a_moment_or_as_long_as_nothing_happens(
    version: int | None, later: timedelta, made: int
) -> None:
    latest, numbered = Latest[int](SECOND), numbers()
    first = None if version is None else 1
    assert latest.value("lunch", lambda: next(numbered), lambda: NOON, first) == 1
    again = latest.value("lunch", lambda: next(numbered), lambda: NOON + later, version)
    assert again == made
    assert latest.value("dinner", lambda: 7, lambda: NOON) == 7


def test_what_somebody_has_made_for_themselves_is_the_latest() -> None:
    latest, numbered = Latest[int](SECOND), numbers()
    latest.value("lunch", lambda: next(numbered), lambda: NOON)
    latest.keep("lunch", 42, NOON)
    assert latest.value("lunch", lambda: next(numbered), lambda: NOON) == 42


def test_those_who_come_while_it_is_made_wait_for_it() -> None:
    latest, numbered = Latest[int](SECOND), numbers()
    begun, go_on = threading.Event(), threading.Event()

    def make() -> int:
        begun.set()
        assert go_on.wait(10)
        return next(numbered)

    with ThreadPoolExecutor(8) as people:
        first = people.submit(latest.value, "lunch", make, lambda: NOON)
        assert begun.wait(10)
        others = [people.submit(latest.value, "lunch", make, lambda: NOON) for _ in range(7)]
        go_on.set()
        assert {one.result() for one in [first, *others]} == {1}


def test_what_fails_is_made_by_the_next_who_asks() -> None:
    latest = Latest[int](SECOND)

    def fail() -> int:
        raise LookupError("gone")

    with pytest.raises(LookupError):
        latest.value("lunch", fail, lambda: NOON)
    assert latest.value("lunch", lambda: 1, lambda: NOON) == 1
