"""Charts: scales, words, and drawings that are safe and complete."""

from __future__ import annotations

from datetime import date, timedelta
from xml.etree import ElementTree as ET

import pytest

from singletable_apps.shared.charts import (
    ChartBar,
    ChartPart,
    DayChart,
    Series,
    StackedChart,
    round_up,
)

DAYS = [date(2026, 10, 3) + timedelta(days=at) for at in range(30)]


@pytest.mark.parametrize(
    ("value", "top"), [(0, 1), (1, 1), (2, 2), (3, 5), (7, 10), (51, 100), (100, 100), (101, 200)]
)
def test_round_up_returns_the_next_round_number(value: int, top: int) -> None:
    assert round_up(value) == top


def test_drawing_is_well_formed_and_has_a_bar_per_day() -> None:
    views = Series("views", list(range(30)))
    root = ET.fromstring(DayChart('<"Views">', DAYS, [views, views]).svg)
    bars = [each for each in root.iter() if each.get("class") == "chart-bar"]
    assert len(bars) == 60
    assert root.findtext("title") == '<"Views">'
    assert root.findtext("desc", "").startswith("435 views, at most 29 on 1 November 2026.")


def test_bars_fill_the_plot_at_the_top_of_the_scale() -> None:
    root = ET.fromstring(DayChart("Views", DAYS[:2], [Series("views", [0, 10])]).svg)
    heights = [each.get("height") for each in root.iter() if each.get("class") == "chart-bar"]
    assert heights == ["0.0", "150.0"]


def test_days_without_views_have_a_text() -> None:
    chart = DayChart("Views", DAYS, [Series("views", [0] * 30), Series("likes", [0] * 29 + [1])])
    assert chart.text == "No views yet. 1 like, at most 1 on 1 November 2026."


def test_table_shows_the_newest_day_first() -> None:
    chart = DayChart("Views", DAYS[:2], [Series("views", [1, 2])])
    assert chart.columns == ["Day", "Views"]
    assert chart.rows == [(DAYS[1], [2]), (DAYS[0], [1])]


def test_series_of_another_length_is_rejected() -> None:
    with pytest.raises(ValueError, match="as many values"):
        DayChart("Views", DAYS, [Series("views", [1])])


PARTS = [ChartPart("Below", "warning"), ChartPart("On target", "good")]


def test_stacked_bars_share_a_scale_and_leave_out_empty_parts() -> None:
    bars = [ChartBar("<Go>", [1, 3], "3 of 4"), ChartBar("C#", [0, 2]), ChartBar("Rust", [0, 0])]
    chart = StackedChart("Skills", PARTS, bars, row_heading="Skill")
    root = ET.fromstring(chart.svg)
    parts = [each for each in root.iter() if each.get("class", "").startswith("chart-part")]
    drawn = [(each.get("class"), each.get("x"), each.get("width")) for each in parts]
    assert drawn == [
        ("chart-part tone-warning", "0.000%", "25.000%"),
        ("chart-part tone-good", "25.000%", "75.000%"),
        ("chart-part tone-good", "0.000%", "50.000%"),
    ]
    assert chart.columns == ["Skill", "Below", "On target"]
    assert chart.rows[0] == ("<Go>", [1, 3])
    assert chart.text == "<Go>: 1 below, 3 on target. C#: 2 on target. Rust: 0."


def test_long_label_ends_before_the_note() -> None:
    [one] = [ChartBar("Human resources and people operations", [1, 3], "84 of 101 below")]
    root = ET.fromstring(StackedChart("Skills", PARTS, [one]).svg)
    shown = [each.text for each in root.iter() if each.get("class") == "chart-name"]
    assert shown == ["Human resources and people o…"]
    assert root.findtext("g/title", "").startswith("Human resources and people operations: ")


def test_stacked_bar_without_a_value_per_part_is_rejected() -> None:
    with pytest.raises(ValueError, match="as many values as parts"):
        StackedChart("Skills", PARTS, [ChartBar("Go", [1])])
