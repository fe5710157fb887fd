"""Charts: what they show, also to screen readers, and that no value breaks them."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from singletable.text_table import TextTable
from singletable_design.planning.charts import (
    Bar,
    HeatRow,
    Line,
    bar_chart,
    heat_map,
    line_chart,
)
from singletable_design.planning.formats import format_number
from singletable_design.planning.report import Chart, Report, Section, Sentences, report_page

TICKS = ["09:00", "10:00"]


def parse(fragment: str) -> ET.Element:
    return ET.fromstring(fragment)


def title_of(fragment: str) -> str:
    title = parse(fragment).find("svg/title")
    assert title is not None
    assert title.text is not None
    return title.text


def test_line_chart_describes_each_line() -> None:
    lines = [Line("consumed", [1, 900, 3], "area"), Line("capacity", [1000] * 3, "limit")]
    title = title_of(line_chart("shop", lines, ticks=TICKS, unit="write units a second"))
    assert title == "shop, in write units a second. consumed: at most 900; capacity: at most 1,000."


def test_line_chart_keeps_the_highest_value_of_long_series() -> None:
    values = [0.0] * 86_400
    values[4_321] = 100.0
    chart = parse(line_chart("day", [Line("peak", values)], ticks=TICKS, unit="units"))
    points = chart.findall(".//polyline")[0].attrib["points"].split()
    assert len(points) <= 600
    assert min(float(point.split(",")[1]) for point in points) == pytest.approx(500)


@pytest.mark.parametrize("values", [[], [0.0], [0.0, 0.0]])
def test_line_chart_accepts_series_without_values(values: list[float]) -> None:
    assert "at most 0" in title_of(line_chart("t", [Line("a", values)], ticks=TICKS, unit="u"))


def test_bar_chart_marks_problems_and_escapes_labels() -> None:
    chart = parse(bar_chart("Keys", [Bar("<A&B>", 10, "10/s", is_bad=True), Bar("C", 5, "5/s")]))
    widths = {
        bar.attrib["class"]: bar.attrib["width"]
        for bar in chart.findall(".//rect")
        if bar.attrib["class"] != "track"
    }
    assert widths == {"bad": "100.00%", "bar": "50.00%"}
    assert "<A&B>: 10/s" in title_of(bar_chart("Keys", [Bar("<A&B>", 10, "10/s")]))


def test_bar_chart_shortens_long_labels_but_not_their_description() -> None:
    label = "ORGANIZATION#organization-1 in a-table-with-a-long-name"
    chart = bar_chart("Keys", [Bar(label, 1, "1,234 write units")])
    shown = parse(chart).findall(".//svg/text")[0].text
    assert shown is not None
    assert shown.startswith("ORGANIZATION#organization-1")
    assert (shown[-1], len(shown) < len(label)) == ("…", True)
    assert label in title_of(chart)


def test_heat_map_marks_cells_over_the_limit() -> None:
    chart = parse(heat_map("Heat", [HeatRow("P1", [0, 0.5, 1.2])], ticks=TICKS))
    cells = [cell for cell in chart.findall(".//svg/svg/rect") if cell.attrib["class"] != "track"]
    assert [cell.attrib["class"] for cell in cells] == ["heat", "bad"]


def test_page_is_self_contained_and_escaped() -> None:
    rows = (("<b>", "$12", "1"), ("x", "", "a"))
    table = TextTable("Costs", ("name", "cost", "note"), rows, has_total=True, notes={0: "1 < 2"})
    parts = (Chart("<svg/>"), Sentences(("a<b",), "note"), table)
    page = report_page(Report("Plan & cost", ("1 < 2",), (Section("Part", parts),)))
    assert "http" not in page
    assert "<script" not in page
    assert "Plan &amp; cost" in page
    assert '<th scope="row">&lt;b&gt;<small>1 &lt; 2</small></th>' in page
    assert '<p class="note">a&lt;b</p>' in page
    assert '<tr class="total"><th scope="row">x</th>' in page
    # Columns with numbers only are aligned on the right.
    assert '<td class="number">$12</td><td>1</td>' in page


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0"), (0.25, "0.25"), (12.51, "12.5"), (1234.4, "1,234")]
)
def test_format_number_keeps_three_digits(value: float, text: str) -> None:
    assert format_number(value) == text
