"""The report of a simulation: its words and its page."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dynamodb_engine.retry import RetryPolicy
from singletable_design.planning.formats import format_latency, format_percent
from singletable_design.planning.report import Report, report_page
from singletable_design.planning.simulation import (
    SimulationResult,
    SimulationSettings,
    Split,
    ThrottlePoint,
    WhatIf,
    shard_key,
    simulate,
)
from singletable_design.planning.simulation.report import (
    describe_throttle_point,
    format_period,
    show_simulation,
)
from tests.planning.loads import both, keys, units, workload

LOAD = both(
    workload(units(keys(1)), rate=1_200, name="app:W1"),
    workload(units(keys(9), "read"), rate=3, name="app:R1"),
)
SETTINGS = SimulationSettings(minutes=2, start_hour=23, retries=RetryPolicy(max_attempts=1))
POINT = ThrottlePoint(0.8, 0.8, "a partition of shop with USER#user-1 (write)")


@pytest.fixture(scope="module")
def result() -> SimulationResult:
    return simulate(LOAD, SETTINGS)


@pytest.fixture(scope="module")
def report(result: SimulationResult) -> Report:
    sharded = simulate(shard_key(LOAD, "USER", 10), SETTINGS)
    what_if = WhatIf("USER in 10 shards", sharded, ThrottlePoint(None, 1e6, ""))
    return show_simulation("app", result, POINT, (what_if,), ("A <note>.",))


def test_summary_says_what_is_throttled_and_where_it_begins(report: Report) -> None:
    calls, throttling = report.summary
    assert calls.startswith("2 minutes from 23:00 UTC: 14")
    assert "% of them throttled, and" in calls
    assert throttling == (
        "Throttling begins at 0.8 times the peak load, in a partition of shop with USER#user-1 "
        "(write)."
    )
    assert report.is_good is False


def test_tables_show_patterns_keys_and_changes(report: Report) -> None:
    tables = {table.title: table for table in report.tables()}
    patterns = {row[0]: row for row in tables["Access patterns"].rows}
    assert patterns["R1"][2:4] == ("0 %", "0")
    assert patterns["W1"][2].startswith("16.")
    busiest = tables["Hottest partition keys"].rows[0]
    assert busiest[:2] == ("USER#user-1", "shop")
    changes = [row[0] for row in tables["What changes would do"].rows]
    assert changes == ["as it is", "USER in 10 shards"]
    assert "Splits of partitions" not in tables


def test_split_has_the_time_at_the_end_of_its_minute(result: SimulationResult) -> None:
    split = Split(minute=1, resource="shop", partition=0, new_partition=4, reason="heat")
    shown = show_simulation("app", replace(result, splits=(split,)), POINT)
    (table,) = [table for table in shown.tables() if table.title == "Splits of partitions"]
    assert table.rows == (("23:02", "shop", "0 → 0 and 4", "it was hot"),)


def test_page_has_charts_of_everything_and_no_scripts(report: Report) -> None:
    page = report_page(report)
    for text in ("shop: write units", "Partitions of shop", "USER#user-1", "A &lt;note&gt;."):
        assert text in page
    assert "<script" not in page
    assert "http" not in page
    assert page.count("<h2>") == 6


def test_throttle_point_without_throttling_says_how_far_it_searched() -> None:
    text = describe_throttle_point(ThrottlePoint(None, 2_000, ""))
    assert text == "Nothing is throttled up to 2,000 times the peak load."


def test_numbers_are_formatted_for_people() -> None:
    assert [format_percent(share) for share in (0, 0.00001, 0.0005, 0.123, 1.2)] == [
        "0 %", "< 0.01 %", "0.05 %", "12.3 %", "120 %",
    ]  # fmt: skip
    assert [format_latency(seconds) for seconds in (0, 0.003, 0.0123, 2.5)] == [
        "–", "3.0 ms", "12 ms", "2.5 s",
    ]  # fmt: skip
    assert [format_period(seconds) for seconds in (60, 300, 3600, 5400, 86400)] == [
        "1 minute", "5 minutes", "1 hour", "90 minutes", "24 hours",
    ]  # fmt: skip
