"""Rates, targets, tables and the page they are written to."""

from __future__ import annotations

import re

import pytest

from benchmarks.harness.measurement import measure_rates
from benchmarks.harness.report import (
    ReportTable,
    Target,
    describe_machine,
    format_megabytes,
    format_microseconds,
    format_milliseconds,
    format_rate,
    format_ratio,
    replace_block,
)


@pytest.mark.parametrize(
    ("target", "figure", "verdict"),
    [
        (Target(at_least=100), 100, "at least 100×: met"),
        (Target(at_least=100), 99.9, "at least 100×: **missed**"),
        (Target(at_most=5), 5, "at most 5×: met"),
        (Target(at_most=0.5, unit=" s"), 0.51, "at most 0.5 s: **missed**"),
    ],
)
def test_target_is_met_or_missed(target: Target, figure: float, verdict: str) -> None:
    assert target.verdict(figure) == verdict


# Numbers continue through all rounds, so that every call can use a new key.
def test_works_take_turns_with_running_numbers() -> None:
    numbers_by_work: tuple[list[int], list[int]] = ([], [])
    found = measure_rates([numbers_by_work[0].append, numbers_by_work[1].append], 0.004)
    assert all(rate > 0 for rate in found)
    for numbers in numbers_by_work:
        assert numbers == list(range(len(numbers)))
        assert len(numbers) >= 4


def test_table_as_markdown() -> None:
    table = ReportTable("Speed", ["what", "ours"], [["PutItem", "9/s"]], ["One is missing."])
    assert table.markdown().splitlines() == [
        "**Speed**",
        "",
        "| what | ours |",
        "|---|---:|",
        "| PutItem | 9/s |",
        "",
        "One is missing.",
    ]


def test_table_as_aligned_text() -> None:
    table = ReportTable("Speed", ["what", "ours"], [["PutItem", "9/s"]], ["One is missing."])
    assert table.text().splitlines() == [
        "Speed",
        "  what     ours",
        "  PutItem   9/s",
        "One is missing.",
    ]


@pytest.mark.parametrize(
    ("formatted", "text"),
    [
        (format_rate(12_345.6), "12,346/s"),
        (format_rate(3.21), "3.2/s"),
        (format_ratio(0.912), "0.91×"),
        (format_milliseconds(0.000_25), "0.25"),
        (format_microseconds(0.000_25), "250 µs"),
        (format_megabytes(104_400_000), "104 MB"),
    ],
)
def test_figures_have_two_or_three_significant_digits(formatted: str, text: str) -> None:
    assert formatted == text


def test_block_between_markers_is_replaced() -> None:
    page = "before\n<!-- growth -->\nold\n<!-- end of growth -->\nafter\n"
    new = "before\n<!-- growth -->\n\\1 new\n<!-- end of growth -->\nafter\n"
    assert replace_block(page, "growth", "\\1 new") == new


@pytest.mark.parametrize("times", [0, 2])
def test_page_without_exactly_one_block_is_rejected(times: int) -> None:
    page = "<!-- growth -->\n<!-- end of growth -->\n" * times
    with pytest.raises(ValueError, match=f"{times} blocks"):
        replace_block(page, "growth", "new")


def test_machine_is_described_in_one_line() -> None:
    assert re.fullmatch(
        r".+, \d+ cores, \d+ GiB of memory, Linux [\d.]+, Python [\d.]+\S*, SQLite [\d.]+",
        describe_machine(),
    )
