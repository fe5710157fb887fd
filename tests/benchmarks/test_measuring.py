"""Rates, bars, tables and the page they are pasted into."""

from __future__ import annotations

import re

import pytest

from benchmarks.measuring import units
from benchmarks.measuring.bar import Bar
from benchmarks.measuring.document import with_block
from benchmarks.measuring.machine import machine
from benchmarks.measuring.rates import rates
from benchmarks.measuring.table import Table


@pytest.mark.parametrize(
    ("bar", "figure", "verdict"),
    [
        (Bar(at_least=100), 100, "at least 100×: met"),
        (Bar(at_least=100), 99.9, "at least 100×: **missed**"),
        (Bar(at_most=5), 5, "at most 5×: met"),
        (Bar(at_most=0.5, unit=" s"), 0.51, "at most 0.5 s: **missed**"),
    ],
)
def test_a_bar_is_met_or_missed(bar: Bar, figure: float, verdict: str) -> None:
    assert bar.verdict(figure) == verdict


# Each act is told how often it was done before, through all rounds, so that keys are new.
def test_acts_take_turns_and_count_on() -> None:
    done: tuple[list[int], list[int]] = ([], [])
    found = rates([done[0].append, done[1].append], 0.004)
    assert all(rate > 0 for rate in found)
    for numbers in done:
        assert numbers == list(range(len(numbers)))
        assert len(numbers) >= 4


def test_a_table_is_markdown() -> None:
    table = Table("Speed", ["what", "ours"], [["PutItem", "9/s"]], ["One is missing."])
    assert table.markdown().splitlines() == [
        "**Speed**",
        "",
        "| what | ours |",
        "|---|---:|",
        "| PutItem | 9/s |",
        "",
        "One is missing.",
    ]


def test_a_table_is_aligned_in_the_terminal() -> None:
    table = Table("Speed", ["what", "ours"], [["PutItem", "9/s"]], ["One is missing."])
    assert table.text().splitlines() == [
        "Speed",
        "  what     ours",
        "  PutItem   9/s",
        "One is missing.",
    ]


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        (units.rate(12_345.6), "12,346/s"),
        (units.rate(3.21), "3.2/s"),
        (units.times(0.912), "0.91×"),
        (units.milliseconds(0.000_25), "0.25"),
        (units.microseconds(0.000_25), "250 µs"),
        (units.megabytes(104_400_000), "104 MB"),
    ],
)
def test_figures_have_two_or_three_digits_that_mean_something(shown: str, text: str) -> None:
    assert shown == text


def test_a_block_is_replaced_between_its_markers() -> None:
    page = "before\n<!-- growth -->\nold\n<!-- end of growth -->\nafter\n"
    new = "before\n<!-- growth -->\n\\1 new\n<!-- end of growth -->\nafter\n"
    assert with_block(page, "growth", "\\1 new") == new


@pytest.mark.parametrize("times", [0, 2])
def test_a_page_without_one_place_for_a_block_is_refused(times: int) -> None:
    page = "<!-- growth -->\n<!-- end of growth -->\n" * times
    with pytest.raises(ValueError, match=f"{times} blocks"):
        with_block(page, "growth", "new")


def test_the_machine_is_told_in_one_line() -> None:
    assert re.fullmatch(
        r".+, \d+ cores, \d+ GiB of memory, Linux [\d.]+, Python [\d.]+\S*, SQLite [\d.]+",
        machine(),
    )
