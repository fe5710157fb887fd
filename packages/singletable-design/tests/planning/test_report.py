"""Reports of plans: figures by pattern, table and billing mode, JSON, comparison and files."""

from __future__ import annotations

from typing import get_type_hints

import pytest

from singletable import (
    Attr,
    Entity,
    Index,
    InvalidValue,
    ItemCount,
    Key,
    LocalIndex,
    Number,
    PatternCatalog,
    Table,
    attr,
    creates,
    per_second,
    updates,
)
from singletable.prices import region_prices
from singletable_design import planning
from singletable_design.planning.formats import (
    format_bytes,
    format_change,
    format_dollars,
    format_rate,
    format_units,
)
from singletable_design.planning.plan_report import to_json
from singletable_design.planning.plan_sections import show_comparison, show_plan
from singletable_design.planning.report import report_page
from tools.testing.sources import ROOT

by_tag = Index("GSI1", pk="GSI1PK", sk="GSI1SK")
notes = Table("notes", indexes=[by_tag])

# The hours of the month in which a unit a second is exactly a million units.
MILLION_SECONDS = 1_000_000 / 3600
PRICES = region_prices().with_amounts(
    {"on_demand_read": 0.125, "on_demand_write": 0.625, "storage": 0.25}
)


class Note(Entity, table=notes):
    owner: Attr[str] = attr()
    tag: Attr[str] = attr()
    text: Attr[str] = attr(default="")

    key = Key(pk=("OWNER", owner), sk="NOTE")
    tagged = Key(pk=("TAG", tag), sk=owner).on(by_tag)


def catalog(*, reads: float = 8, growth: float = 0.0) -> PatternCatalog:
    made = PatternCatalog(
        "notes",
        notes,
        sizes={Note: 924},
        counts={Note: ItemCount(2**20, growth=growth)},
    )
    made.read("R", "A note", Note.key, rate=per_second(reads, peak=2 * reads))
    made.read("T", "Notes with a tag", Note.tagged, items=9, rate=per_second(2))
    made.write("W", "Tag a note", updates(Note, Note.tag), rate=per_second(1))
    made.write("U", "Never called", creates(Note))
    return made


def report(
    made: PatternCatalog | None = None, *, factor: float = 1.0, months: float = 0.0
) -> planning.PlanReport:
    return planning.create_report(
        [made or catalog()],
        prices=PRICES,
        factor=factor,
        months=months,
        options=planning.CostOptions(hours=MILLION_SECONDS),
    )


def test_pattern_costs_are_units_times_price() -> None:
    figures = {one.code: one for one in report().patterns}
    # 8 calls of half a unit: 4 million units of $0.125.
    assert figures["R"].cost == pytest.approx(4 * 0.125)
    assert figures["R"].peak_calls == 16
    # Nine entries of 924 bytes are three blocks: 1.5 units a call.
    assert figures["T"].read_per_call == 1.5
    assert figures["T"].cost == pytest.approx(3 * 0.125)
    # The tag is in the key of the index, so its entry is deleted and written.
    assert figures["W"].write_per_call == 3
    assert figures["W"].cost == pytest.approx(3 * 0.625)
    assert figures["U"].calls is None
    assert figures["U"].cost == 0
    assert "8 calls/s = $0.50" in figures["R"].how[0]


def test_costs_of_patterns_and_of_tables_add_up_to_the_total() -> None:
    made = report()
    # 924 bytes and 100 more for each item, and for each entry of the index.
    assert sum(one.bytes for one in made.resources) == pytest.approx(2 * 2**30)
    assert made.other_costs == pytest.approx(2 * 0.25)
    assert sum(one.cost for one in made.resources) == pytest.approx(made.cost)
    assert sum(one.share for one in made.patterns) == pytest.approx(1 - 0.5 / made.cost)


@pytest.mark.parametrize("mode", ["auto-scaled", "fixed", "reserved-1-year"])
def test_capacity_is_divided_among_the_patterns_that_use_it(mode: str) -> None:
    made = planning.create_report([catalog(reads=800)], mode=mode)  # type: ignore[arg-type]
    assert made.mode == mode
    assert sum(one.cost for one in made.resources) == pytest.approx(made.cost)
    reads = [one for one in made.patterns if one.code == "R"]
    assert reads[0].cost > 0
    assert sum(one.cost for one in made.patterns) <= made.cost


def test_local_index_uses_the_capacity_of_its_table() -> None:
    by_size = LocalIndex("LSI1", sk=Number("size"))
    files = Table("files", indexes=[by_size])

    class File(Entity, table=files):
        folder: Attr[str] = attr()
        name: Attr[str] = attr()
        size: Attr[int] = attr()

        key = Key(pk=("FOLDER", folder), sk=name)
        largest = Key(pk=("FOLDER", folder), sk=size).on(by_size)

    made = PatternCatalog("files", files)
    made.read("R", "Largest files", File.largest, rate=per_second(70))
    made.read("G", "A file", File.key, rate=per_second(70))
    report = planning.create_report([made], mode="auto-scaled")
    table, index = report.resources
    # 35 units of each, at 70 percent utilization: 100 units, which both patterns share.
    assert [one.cost for one in report.patterns] == [pytest.approx(50 * 730 * 0.00013)] * 2
    assert index.cost == pytest.approx(50 * 730 * 0.00013)
    assert table.cost + index.cost == pytest.approx(report.cost)


def test_modes_are_sorted_and_the_selected_one_has_the_total() -> None:
    made = report()
    assert [one.cost for one in made.modes] == sorted(one.cost for one in made.modes)
    assert made.cheapest is made.modes[0]
    assert made.selected.cost == made.cost
    assert made.break_even


def test_cheapest_mode_serves_the_peaks() -> None:
    made = planning.create_report([catalog(reads=800)])
    assert made.modes[0].mode.startswith("reserved")
    assert made.modes[0].peaks_above
    assert not made.cheapest.peaks_above
    assert made.cheapest.cost > made.modes[0].cost
    assert [
        one
        for one in made.assumptions
        if "peaks are higher: " in one and " read units/s of " in one
    ]


def test_growth_is_by_month_if_it_is_declared() -> None:
    assert report().growth == ()
    months = report(catalog(growth=0.1)).growth
    assert len(months) == 13
    assert months[12].items == pytest.approx(2**20 * 1.1**12)
    assert months[12].cost > months[0].cost


def test_factor_and_months_change_rates_and_items() -> None:
    made = report(catalog(growth=0.5), factor=10, months=2)
    assert made.patterns[0].calls == 80
    assert made.resources[0].items == pytest.approx(2**20 * 10 * 1.5**2)
    assert made.growth[0].month == 2


def test_hottest_key_is_compared_with_the_limits_of_a_partition() -> None:
    _, index = report().resources
    assert index.hottest is not None
    assert index.hottest.key == "TAG#tag-1"
    assert index.hottest.patterns == ("notes:T", "notes:W")


def test_advice_is_part_of_the_report() -> None:
    made = catalog()
    made.write("C", "Create a note", creates(Note), rate=per_second(1))
    made.scan("S", "All notes", Note, reason="an export", rate=per_second(1))
    advice = report(made).advice
    assert {"scan", "growing-count"} <= {one.kind for one in advice}
    (scan,) = [one for one in advice if one.kind == "scan"]
    assert scan.subject == "notes:S"
    assert scan.how


def test_report_can_be_saved_and_read() -> None:
    made = report(catalog(growth=0.1))
    assert planning.parse_report(to_json(made), "plan.json") == made


def test_guide_documents_every_field_of_the_json() -> None:
    guide = (ROOT / "docs/guide/planning.md").read_text().partition("### The JSON")[2]
    made = report(catalog(growth=0.1))
    parts = (made, made.patterns, made.resources, made.modes, made.modes[0].lines, made.growth)
    for part in (*parts, made.advice, made.resources[1].hottest, made.resources[0].read):
        struct = part[0] if isinstance(part, tuple) else part
        assert struct is not None
        names = get_type_hints(type(struct))
        missing = [one for one in names if f"`{one}`" not in guide]
        assert not missing, f"{type(struct).__name__}: {missing}"


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"type": "other"}', '{"type": "singletable plan", "format": 2}']
)
def test_other_files_are_rejected(content: str) -> None:
    with pytest.raises(InvalidValue, match=r"plan\.json: Expected a report saved by"):
        planning.parse_report(content, "plan.json")


def test_comparison_matches_patterns_by_code() -> None:
    after = catalog(reads=16)
    after.read("N", "New", Note.key, rate=per_second(2))
    before = catalog()
    before.read("O", "Old", Note.key, rate=per_second(2))
    compared = planning.compare_reports(report(before), report(after))
    changes = {one.name: one for one in compared.patterns}
    assert {name: one.change for name, one in changes.items()} == {
        "R": "changed",
        "T": "same",
        "W": "same",
        "U": "same",
        "N": "added",
        "O": "removed",
    }
    assert changes["R"].notes == ("calls/s 8 → 16",)
    assert changes["R"].percent == pytest.approx(100)
    assert changes["O"].difference == pytest.approx(-0.125)
    assert changes["N"].percent is None
    assert compared.total.difference == pytest.approx(0.5)
    assert [one.change for one in compared.resources] == ["changed", "same"]
    rows = compared.with_other_costs()
    assert rows[-1].title == "storage and the rest"
    assert compared.name == "notes"  # two versions of one design
    assert sum(one.difference for one in rows) == pytest.approx(compared.total.difference)
    assert compared.notes == ()


def test_comparison_says_what_else_differs() -> None:
    compared = planning.compare_reports(
        report(), planning.create_report([catalog()], prices=PRICES, factor=2)
    )
    assert any("scale differs" in one for one in compared.notes)
    assert any("hours of a month differs" in one for one in compared.notes)


def test_page_is_self_contained_and_escapes_titles() -> None:
    made = catalog(growth=0.1)
    made.read("X", "<b>bold</b>", Note.key)
    page = report_page(show_plan(report(made)))
    assert "&lt;b&gt;bold" in page
    assert "<b>bold" not in page
    assert "http" not in page.replace("https://aws.amazon.com", "")
    assert page.count("<svg role=") == 7
    assert "<script" not in page
    same = show_comparison(planning.compare_reports(report(), report()))
    assert "</th><td" in report_page(same)
    assert not [table.notes for table in same.tables() if table.notes]


def test_figures_are_formatted_for_people() -> None:
    assert [format_dollars(one) for one in (0, 0.004, 1.5, 1234.5, -2)] == [
        "$0",
        "< $0.01",
        "$1.50",
        "$1,234",
        "−$2.00",
    ]
    assert [format_bytes(one) for one in (0, 500, 2048, 2**30, 2**40 * 1.5)] == [
        "0",
        "500 bytes",
        "2 KB",
        "1 GB",
        "1.5 TB",
    ]
    assert [format_change(one) for one in (65.2, -73)] == ["+65 %", "−73 %"]
    assert [format_units(one, "read") for one in (0.5, 1)] == ["0.5 read units", "1 read unit"]
    rates = (None, 0.0, 50, 1 / 6, 1 / 1800, 1 / 86400)
    assert [format_rate(one) for one in rates] == ["", "0", "50/s", "10/min", "2/h", "1/day"]
