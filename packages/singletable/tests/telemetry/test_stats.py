"""CallStats adds up calls by pattern."""

from __future__ import annotations

import threading

import pytest

from dynamodb_engine.faults import FaultyDriver
from singletable import Call
from singletable.store import CallShape
from singletable.telemetry import CallStats
from tests.telemetry.sample_calls import make_calls
from tools.testing.designs.election_catalog import elections


def test_stats_are_kept_by_pattern(driver: FaultyDriver) -> None:
    stats = CallStats(elections)
    make_calls(driver, stats)
    assert [one.pattern for one in stats.snapshot()] == [
        "elections:AP1",
        "elections:AP13",
        "elections:AP16",
        "elections:AP2",
        "undeclared",
    ]
    got = stats.for_pattern("elections:AP1")
    # The unmarked read matches the same pattern, and is eventually consistent.
    assert (got.calls, got.requests, got.retries) == (3, 5, 2)
    assert got.read_units == 1.0 + 1.0 + 37.0
    joined = stats.for_pattern("elections:AP13")
    assert (joined.calls, joined.errors, joined.conflicts) == (2, 1, 1)
    assert joined.write_units == 4.0
    put = stats.for_pattern("elections:AP16")
    assert (put.calls, put.requests, put.write_units) == (1, 1, 3.0)
    queried = stats.for_pattern("elections:AP2")
    assert (queried.calls, queried.requests) == (1, 3)
    assert stats.for_pattern("undeclared").calls == 8


def test_without_a_catalog_all_calls_are_undeclared(driver: FaultyDriver) -> None:
    stats = CallStats()
    make_calls(driver, stats)
    (total,) = stats.snapshot()
    assert total.pattern == "undeclared"
    stats.reset()
    assert stats.snapshot() == []
    assert stats.for_pattern("undeclared").calls == 0


def _call(seconds: float) -> Call:
    return Call(CallShape("get", ()), seconds, (), (), continued=False, error=None)


def test_quantiles_of_durations() -> None:
    stats = CallStats()
    for number in range(1, 101):
        stats(_call(number / 100))
    (pattern,) = stats.snapshot()
    assert (pattern.median, pattern.p95, pattern.p99, pattern.slowest) == (0.5, 0.95, 0.99, 1.0)


@pytest.mark.parametrize(("count", "median", "p99"), [(1, 1.0, 1.0), (2, 1.0, 2.0), (3, 2.0, 3.0)])
def test_quantiles_of_few_calls(count: int, median: float, p99: float) -> None:
    stats = CallStats()
    for number in range(count):
        stats(_call(number + 1.0))
    (pattern,) = stats.snapshot()
    assert (pattern.median, pattern.p99) == (median, p99)


def test_quantiles_use_only_the_latest_calls() -> None:
    stats = CallStats()
    for _ in range(10):
        stats(_call(9.0))
    for _ in range(2000):
        stats(_call(0.001))
    (pattern,) = stats.snapshot()
    assert (pattern.calls, pattern.p99, pattern.slowest) == (2010, 0.001, 9.0)


def test_many_threads_lose_no_call() -> None:
    stats = CallStats()

    def count() -> None:
        for _ in range(500):
            stats(_call(0.001))

    threads = [threading.Thread(target=count) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert stats.for_pattern("undeclared").calls == 4000
