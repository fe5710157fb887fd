"""The tally keeps the figures of each pattern."""

from __future__ import annotations

import threading

import pytest

from singletable import Call, CallShape
from singletable.faults import FaultyDriver
from singletable.telemetry import CallStats
from tests.patterns.declared import elections
from tests.telemetry.calls import make_calls


def test_figures_are_kept_by_pattern(driver: FaultyDriver) -> None:
    tally = CallStats(elections)
    make_calls(driver, tally)
    assert [one.pattern for one in tally.figures()] == [
        "elections:AP1",
        "elections:AP13",
        "elections:AP16",
        "elections:AP2",
        "undeclared",
    ]
    got = tally.of("elections:AP1")
    # A read without its mark is the same pattern, and was asked for what may be stale.
    assert (got.calls, got.requests, got.retries) == (3, 5, 2)
    assert got.read_units == 1.0 + 1.0 + 37.0
    joined = tally.of("elections:AP13")
    assert (joined.calls, joined.errors, joined.conflicts) == (2, 1, 1)
    assert joined.write_units == 4.0
    put = tally.of("elections:AP16")
    assert (put.calls, put.requests, put.write_units) == (1, 1, 3.0)
    queried = tally.of("elections:AP2")
    assert (queried.calls, queried.requests) == (1, 3)
    assert tally.of("undeclared").calls == 8


def test_without_a_catalogue_everything_is_undeclared(driver: FaultyDriver) -> None:
    tally = CallStats()
    make_calls(driver, tally)
    (all_of_it,) = tally.figures()
    assert all_of_it.pattern == "undeclared"
    tally.clear()
    assert tally.figures() == []
    assert tally.of("undeclared").calls == 0


def _call(seconds: float) -> Call:
    return Call(CallShape("get", ()), seconds, (), (), continued=False, error=None)


def test_times_are_told_by_how_many_calls_did_not_exceed_them() -> None:
    tally = CallStats()
    for number in range(1, 101):
        tally(_call(number / 100))
    (figures,) = tally.figures()
    assert (figures.median, figures.p95, figures.p99, figures.slowest) == (0.5, 0.95, 0.99, 1.0)


@pytest.mark.parametrize(("count", "median", "p99"), [(1, 1.0, 1.0), (2, 1.0, 2.0), (3, 2.0, 3.0)])
def test_few_calls_have_their_times_too(count: int, median: float, p99: float) -> None:
    tally = CallStats()
    for number in range(count):
        tally(_call(number + 1.0))
    (figures,) = tally.figures()
    assert (figures.median, figures.p99) == (median, p99)


def test_only_the_latest_calls_tell_how_long_it_takes() -> None:
    tally = CallStats()
    for _ in range(10):
        tally(_call(9.0))
    for _ in range(2000):
        tally(_call(0.001))
    (figures,) = tally.figures()
    assert (figures.calls, figures.p99, figures.slowest) == (2010, 0.001, 9.0)


def test_many_threads_lose_no_call() -> None:
    tally = CallStats()

    def count() -> None:
        for _ in range(500):
            tally(_call(0.001))

    threads = [threading.Thread(target=count) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert tally.of("undeclared").calls == 4000
