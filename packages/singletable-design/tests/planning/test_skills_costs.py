"""The cost tables of the skills document, from its declarations, and what they leave out.

The document calculates with 2.59 million seconds, which are 30 days, and prices of us-east-1.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator

import pytest

from singletable_design.planning import (
    CostLine,
    CostOptions,
    PlanReport,
    compare_reports,
    create_report,
)
from tools.testing.markdown import blocks
from tools.testing.sources import ROOT

FOLDER = ROOT / "docs/guide/planning"
MODULES = ("users_table", "glad_entities", "complete_entities")
THIRTY_DAYS = CostOptions(hours=720)


@pytest.fixture
def report_of(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., PlanReport]]:
    monkeypatch.setattr(sys, "path", [str(FOLDER), *sys.path])

    def report(name: str, options: CostOptions = THIRTY_DAYS) -> PlanReport:
        return create_report([importlib.import_module(name).patterns], options=options)

    yield report
    for name in MODULES:
        sys.modules.pop(name, None)


Reports = Callable[..., PlanReport]


def lines(report: PlanReport) -> dict[str, CostLine]:
    return {line.name: line for line in report.selected.lines}


def test_current_table_costs_324_dollars(report_of: Reports) -> None:
    report = report_of("users_table")
    bill = lines(report)
    assert bill["reads of users"].cost == pytest.approx(162.00)
    assert bill["writes of users"].cost == pytest.approx(162.00)
    # The document has $0.002, without the 100 bytes that DynamoDB adds to each item.
    assert bill["storage of users"].cost == pytest.approx(0.0026, abs=0.00005)
    assert round(report.cost) == 324


def test_proposed_table_costs_534_dollars_65_percent_more(report_of: Reports) -> None:
    before, after = report_of("users_table"), report_of("glad_entities")
    bill = lines(after)
    assert bill["reads of glad-entities"].cost == pytest.approx(194.40)
    assert bill["writes of glad-entities"].cost == pytest.approx(243.00)
    assert bill["reads of glad-entities/GSI1"].cost == pytest.approx(16.20)
    assert bill["writes of glad-entities/GSI1"].cost == pytest.approx(81.00)
    assert bill["storage of glad-entities"].cost == pytest.approx(0.0097, abs=0.00005)
    assert bill["storage of glad-entities/GSI1"].cost == pytest.approx(0.0026, abs=0.00005)
    assert int(after.cost) == 534
    assert compare_reports(before, after).total.percent == pytest.approx(65, abs=0.01)


def test_document_rounds_the_seconds_of_a_month(report_of: Reports) -> None:
    seconds = CostOptions(hours=2_590_000 / 3600)
    assert report_of("users_table", seconds).cost == pytest.approx(323.75, abs=0.01)
    assert report_of("users_table", CostOptions()).cost == pytest.approx(328.50, abs=0.01)


def test_what_the_document_leaves_out_costs_three_times_more(report_of: Reports) -> None:
    left_out = compare_reports(report_of("glad_entities"), report_of("complete_entities"))
    more = {one.name: one.difference for one in left_out.patterns if one.change != "same"}
    # A consistent read costs twice as much.
    assert more["AP1"] == pytest.approx(145.80)
    assert more["AP2b"] == pytest.approx(8.10)
    # A scan reads users and skills: 35,840,000 bytes, 8,750 blocks of 4 KB, half a unit each.
    assert more["AP5"] == pytest.approx(4375 * 2.592 * 0.125)
    # One entry is deleted and one written, instead of one in place.
    assert more["AP9"] == pytest.approx(32.40)
    # 250 entries of 127 bytes are eight blocks.
    assert more["AP11"] == pytest.approx(80 * 3.5 * 2.592 * 0.125)
    assert more["AP12"] == pytest.approx(3.24)
    assert round(left_out.after.cost) == 2232


def test_scan_of_the_current_table_costs_more_than_everything_else(report_of: Reports) -> None:
    report = report_of("users_table")
    (scan,) = [one for one in report.patterns if one.kind == "scan"]
    assert scan.read_per_call == 1250
    assert scan.read_per_call * 2.592 * 0.125 == pytest.approx(405)


def test_backups_of_the_security_section_cost_little(report_of: Reports) -> None:
    kept = CostOptions(hours=720, pitr=True, backups=35)
    report = report_of("glad_entities", kept)
    assert report.cost - report_of("glad_entities").cost == pytest.approx(0.144, abs=0.001)


def test_registrations_contradict_the_number_of_users(report_of: Reports) -> None:
    first = report_of("users_table").advice[0]
    assert first.kind == "growing-count"
    assert "131,400,000 new User items a month" in first.problem


def test_index_entry_is_smaller_than_the_document_says(report_of: Reports) -> None:
    _, index = report_of("glad_entities").resources
    assert index.bytes / index.items == 127 + 100


def test_constant_load_is_cheaper_with_provisioned_capacity(report_of: Reports) -> None:
    report = report_of("glad_entities")
    costs = {one.mode: one.cost for one in report.modes if one.table_class == "STANDARD"}
    assert costs["fixed"] / costs["on-demand"] == pytest.approx(0.289, abs=0.001)
    assert costs["reserved-3-years"] < costs["reserved-1-year"] < costs["fixed"]


# The files can be opened and run; the chapter shows them.
@pytest.mark.parametrize("name", MODULES)
def test_planning_chapter_shows_the_modules(name: str) -> None:
    shown = [block.text for block in blocks(ROOT / "docs/guide/planning.md")]
    assert (FOLDER / f"{name}.py").read_text() in shown
