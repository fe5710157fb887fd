"""Charts for reports: SVG without scripts, for light and dark screens.

Charts stretch to the width of the page while their text keeps its size, so that they are readable
on a phone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal, TypeAlias
from zlib import crc32

from singletable_design.planning.formats import format_number
from singletable_design.planning.svg import element, text_element

# `area` fills the space below a line; `limit` is dashed, for capacities; `bad` is for errors.
LineKind: TypeAlias = Literal["line", "area", "limit", "bad"]

_PLOT_HEIGHT = 180
_AXIS_HEIGHT = 22
# Headroom above the highest value, so that its line is not cut off.
_HEADROOM = 1.08
_GRID_LINES = 4
_BAR_HEIGHT = 40
# Characters of a label and a text beside each other, on a phone.
_BAR_CHARACTERS = 54
_HEAT_ROW_HEIGHT = 22
# Share of a heat map's width that the labels of its rows take.
_LABEL_SHARE = 17
# More points than this are not visible.
_MAX_POINTS = 600


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a chart; `values` are at equal distances."""

    name: str
    values: Sequence[float]
    kind: LineKind = "line"

    @property
    def highest(self) -> float:
        """The highest value, or 0."""
        return max(self.values, default=0.0)


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar: its label, its length, the text at its end, and whether it is a problem."""

    label: str
    value: float
    text: str
    is_bad: bool = False


@dataclass(frozen=True, slots=True)
class HeatRow:
    """A row of a heat map: shares of its limit, where 1 and more is over the limit."""

    label: str
    values: Sequence[float]


def line_chart(title: str, lines: Sequence[Line], *, ticks: Sequence[str], unit: str) -> str:
    """Draw lines over time; `ticks` label the horizontal axis from its start to its end."""
    top = _round_up(max((line.highest for line in lines), default=0.0) * _HEADROOM) or 1.0
    grid = [top * step / _GRID_LINES for step in range(1, _GRID_LINES + 1)]
    classes = [
        line.kind if line.kind in ("limit", "bad") else f"line-{number % 4}"
        for number, line in enumerate(lines)
    ]
    drawn = (_draw_line(line, top, name) for line, name in zip(lines, classes, strict=True))
    parts = [
        *(_grid_line(value / top, format_number(value)) for value in grid),
        element("line", class_="axis", x1=0, x2="100%", y1=_PLOT_HEIGHT, y2=_PLOT_HEIGHT),
        *_tick_labels(ticks),
        _stretched("1000 1000", *drawn, x=0, y=0, width="100%", height=_PLOT_HEIGHT),
    ]
    legend = [
        element("span", element("i", ""), escape(line.name), class_=name)
        for line, name in zip(lines, classes, strict=True)
    ]
    summary = "; ".join(f"{line.name}: at most {format_number(line.highest)}" for line in lines)
    svg = _svg(f"{title}, in {unit}. {summary}.", _PLOT_HEIGHT + _AXIS_HEIGHT, parts)
    return _figure(title, _legend(*legend, text_element("span", unit)), svg)


def bar_chart(title: str, bars: Sequence[Bar], *, limit: float | None = None) -> str:
    """Draw horizontal bars with their labels above them; `limit` is the length of a full bar."""
    top = limit or max((bar.value for bar in bars), default=0.0) or 1.0
    parts: list[str] = []
    for number, bar in enumerate(bars):
        y, width = number * _BAR_HEIGHT, f"{min(100.0, 100.0 * bar.value / top):.2f}%"
        box = {"x": 0, "y": y + 19, "height": 10, "rx": 3}
        parts += [
            text_element("text", _fit(bar.label, bar.text), x=0, y=y + 13),
            text_element("text", bar.text, class_="end", x="100%", y=y + 13),
            element("rect", class_="track", width="100%", **box),
            element("rect", class_="bad" if bar.is_bad else "bar", width=width, **box),
        ]
    summary = "; ".join(f"{bar.label}: {bar.text}" for bar in bars)
    return _figure(title, _svg(f"{title}. {summary}.", len(bars) * _BAR_HEIGHT, parts))


def heat_map(title: str, rows: Sequence[HeatRow], *, ticks: Sequence[str], note: str = "") -> str:
    """Draw rows of cells; the darker a cell, the nearer to its limit, and red over the limit."""
    parts: list[str] = []
    for number, row in enumerate(rows):
        y = number * _HEAT_ROW_HEIGHT
        cells = [element("rect", class_="track", width="100%", height=1)]
        for x, share in enumerate(row.values):
            if share >= 0.005:
                kind, opacity = ("bad", None) if share >= 1 else ("heat", f"{share:.2f}")
                box = {"x": x, "width": "1.02", "height": 1, "fill_opacity": opacity}
                cells.append(element("rect", class_=kind, **box))
        size = {"width": f"{100 - _LABEL_SHARE}%", "height": _HEAT_ROW_HEIGHT - 2}
        parts += [
            text_element("text", row.label, x=0, y=y + 15),
            _stretched(f"{max(1, len(row.values))} 1", *cells, x=f"{_LABEL_SHARE}%", y=y, **size),
        ]
    height = len(rows) * _HEAT_ROW_HEIGHT
    parts += _tick_labels(ticks, y=height + 15, start=_LABEL_SHARE)
    summary = "; ".join(f"{row.label}: at most {max(row.values, default=0):.0%}" for row in rows)
    legend = _legend(
        element("span", element("i", ""), "near its limit", class_="heat"),
        element("span", element("i", ""), "over its limit", class_="bad"),
        text_element("span", note),
    )
    svg = _svg(f"{title}. {summary}.", height + _AXIS_HEIGHT, parts)
    return _figure(title, legend, svg)


def _svg(label: str, height: int, parts: Iterable[str]) -> str:
    name = f"chart-{crc32(label.encode()):08x}"
    size = {"width": "100%", "height": height}
    title = text_element("title", label, id=name)
    return element("svg", title, *parts, role="img", aria_labelledby=name, **size)


def _stretched(size: str, *parts: str, **place: object) -> str:
    """Return a drawing of this size that is stretched to its place."""
    box = {"viewBox": f"0 0 {size}", "preserveAspectRatio": "none"}
    return element("svg", *parts, **box, **place)


def _legend(*parts: str) -> str:
    return element("p", *parts, class_="legend")


def _fit(label: str, text: str) -> str:
    """Return a label that leaves room for the text beside it, also on a phone."""
    room = max(12, _BAR_CHARACTERS - len(text))
    return label if len(label) <= room else f"{label[: room - 1]}…"


def _figure(title: str, *content: str) -> str:
    return element("figure", text_element("figcaption", title), *content)


def _grid_line(share: float, label: str) -> str:
    y = _PLOT_HEIGHT * (1 - share)
    line = element("line", class_="grid", x1=0, x2="100%", y1=y, y2=y)
    return line + text_element("text", label, class_="muted", x=0, y=y + 13)


def _tick_labels(
    ticks: Sequence[str], *, y: int = _PLOT_HEIGHT + 16, start: float = 0.0
) -> list[str]:
    last = len(ticks) - 1
    labels: list[str] = []
    for number, tick in enumerate(ticks):
        anchor = "end" if number == last and last else "middle" if number else "start"
        x = start + (100 - start) * (number / last if last else 0)
        labels.append(text_element("text", tick, class_=f"muted {anchor}", x=f"{x:.2f}%", y=y))
    return labels


def _draw_line(line: Line, top: float, name: str) -> str:
    values = _thin_out(line.values)
    step = 1000 / max(1, len(values) - 1)
    ends = [(x * step, 1000 * (1 - min(1.0, value / top))) for x, value in enumerate(values)]
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in ends)
    drawn = element("polyline", class_=name, points=points)
    if line.kind in ("area", "bad"):
        drawn += element("polygon", class_=name, points=f"0,1000 {points} 1000,1000")
    return drawn


def _thin_out(values: Sequence[float]) -> list[float]:
    """Return the highest value of each group of neighbors, so that no peak is lost."""
    size = math.ceil(len(values) / _MAX_POINTS)
    if size <= 1:
        return list(values)
    return [max(values[start : start + size]) for start in range(0, len(values), size)]


def _round_up(value: float) -> float:
    """Return the next number with a round first digit, so that grid lines have round labels."""
    if value <= 0:
        return 0.0
    power = math.pow(10, math.floor(math.log10(value)))
    return next(one * power for one in (1, 2, 4, 6, 8, 10) if one * power >= value * 0.999)
