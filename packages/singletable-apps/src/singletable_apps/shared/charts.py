"""Bar charts, drawn as SVG on the server: counts per day, and counts per name in stacked parts.

All positions across are percentages, so a chart is as wide as its place on the page while its text
keeps its size. Colors are CSS classes in `pages/styles/figures.css`. The macro `figure.chart` shows
the drawing with its data as a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import TypeAlias

from markupsafe import Markup

from ranked_ballots.pictures.svg import element, escape_text, tooltip
from singletable_apps.shared.languages import ENGLISH, Language

_PLOT = 150
_SMALL_PLOT = 56
_HEADING = 24
_AXIS = 24
_BAR = 0.74
_LABELS = 5
# Rows of stacked bars.
_ROW, _LABEL, _THICK = 42, 22, 10
_Place: TypeAlias = dict[str, str | float]
# How many characters fit in a column of the narrowest chart.
_NARROW = 44


@dataclass(frozen=True)
class Series:
    """A number for each day. `name` is plural and lower-case: `views`."""

    name: str
    values: Sequence[int]


@dataclass(frozen=True)
class DayChart:
    """Bars per day: each series has a plot and a scale of its own, below a common title."""

    title: str
    days: Sequence[date]
    series: Sequence[Series]
    id: str = "chart"
    language: Language = ENGLISH

    def __post_init__(self) -> None:
        """Raise ValueError unless there is a value per day."""
        if not self.days or any(len(each.values) != len(self.days) for each in self.series):
            raise ValueError("Expected at least one day, and as many values in each series.")

    @property
    def text(self) -> str:
        """Return the totals and the best day in words."""
        return " ".join(self._describe(each) for each in self.series)

    @property
    def columns(self) -> list[str]:
        """Return the headings of the table."""
        names = ("day", *(each.name for each in self.series))
        return [self.language.gettext(each.capitalize()) for each in names]

    @property
    def rows(self) -> list[tuple[date, list[int]]]:
        """Return the rows of the table, the newest first."""
        return [
            (day, [each.values[at] for each in self.series])
            for at, day in reversed(list(enumerate(self.days)))
        ]

    @property
    def svg(self) -> Markup:
        """Return the drawing."""
        parts: list[str] = []
        top = 0
        for number, each in enumerate(self.series, 1):
            height = _PLOT if number == 1 else _SMALL_PLOT
            parts.append(self._plot(each, number, top + _HEADING, height))
            top += _HEADING + height + 8
        parts.append(self._axis(top))
        title = self.language.gettext(self.title)
        return _drawing(self.id, title, top + _AXIS, *parts, text=self.text)

    def _plot(self, series: Series, number: int, top: int, height: int) -> str:
        highest = round_up(max(series.values))
        base = top + height
        step = 100 / len(self.days)
        bars: list[str] = []
        for at, (day, value) in enumerate(zip(self.days, series.values, strict=True)):
            tall = height * value / highest
            slot: _Place = {
                "x": _percent(at * step),
                "y": top,
                "width": _percent(step),
                "height": height,
            }
            bar: _Place = {
                "x": _percent(at * step + step * (1 - _BAR) / 2),
                "y": f"{base - tall:.1f}",
                "width": _percent(step * _BAR),
                "height": f"{tall:.1f}",
            }
            bars.append(
                element(
                    "g",
                    element("rect", class_="chart-slot", **slot),
                    element("rect", class_="chart-bar", **bar, rx="1.5"),
                    tooltip(f"{self._day(day)}: {self._count(series, value)}"),
                    class_="chart-day",
                )
            )
        name = self._count(series, sum(series.values))
        return element(
            "g",
            _heading(name, self.language.number(highest), top - 8),
            element("line", class_="chart-grid", x1=0, x2="100%", y1=top, y2=top),
            *bars,
            element("line", class_="chart-base", x1=0, x2="100%", y1=base, y2=base),
            class_=f"chart-{number}",
        )

    def _axis(self, top: int) -> str:
        """Label the first and the last day and some between, which phones leave out."""
        last = len(self.days) - 1
        wanted = sorted({round(last * at / (_LABELS - 1)) for at in range(_LABELS)})
        labels: list[str] = []
        for at in wanted:
            edge = "start" if at == 0 else "end" if at == last else "middle"
            x = 0 if at == 0 else 100 if at == last else (at + 0.5) * 100 / len(self.days)
            place: _Place = {"class_": f"chart-label chart-{edge}", "x": f"{x:.2f}%", "y": top + 12}
            day = self.language.date(self.days[at], "d MMM")
            labels.append(element("text", escape_text(day), **place))
        return "".join(labels)

    def _describe(self, series: Series) -> str:
        total, best = sum(series.values), max(series.values)
        if not total:
            return self.language.gettext(f"No {series.name} yet.")
        day = self.days[list(series.values).index(best)]
        count, text = self._count(series, total), "%(count)s, at most %(best)s on %(day)s."
        return self.language.gettext(text, count=count, best=best, day=self._day(day))

    def _day(self, day: date) -> str:
        return self.language.date(day, "d MMMM y")

    def _count(self, series: Series, count: int) -> str:
        one = series.name.removesuffix("s")
        return self.language.ngettext(f"%(count)s {one}", f"%(count)s {series.name}", count)


@dataclass(frozen=True)
class ChartPart:
    """A part of stacked bars. Tones are `1` (light) to `4`, `good`, `warning` and `danger`."""

    name: str
    tone: str


@dataclass(frozen=True)
class ChartBar:
    """A bar with a number for each part; `note` is written at its end."""

    label: str
    values: Sequence[int]
    note: str = ""


@dataclass(frozen=True)
class StackedChart:
    """Horizontal bars with parts, all on one scale. Each label stands above its bar."""

    title: str
    parts: Sequence[ChartPart]
    bars: Sequence[ChartBar]
    id: str = "chart"
    row_heading: str = "Name"

    def __post_init__(self) -> None:
        """Raise ValueError unless there is a value per part."""
        if not self.bars or any(len(bar.values) != len(self.parts) for bar in self.bars):
            raise ValueError("Expected at least one bar, and as many values as parts in each.")

    @property
    def text(self) -> str:
        """Return the numbers in words."""
        return " ".join(f"{bar.label}: {self._describe(bar)}." for bar in self.bars)

    @property
    def columns(self) -> list[str]:
        """Return the headings of the table."""
        return [self.row_heading, *(part.name for part in self.parts)]

    @property
    def rows(self) -> list[tuple[str, list[int]]]:
        """Return the rows of the table."""
        return [(bar.label, list(bar.values)) for bar in self.bars]

    @property
    def svg(self) -> Markup:
        """Return the drawing."""
        longest = max(1, *(sum(bar.values) for bar in self.bars))
        drawn = [self._bar(bar, at * _ROW, longest) for at, bar in enumerate(self.bars)]
        return _drawing(self.id, self.title, len(self.bars) * _ROW, *drawn)

    def _bar(self, bar: ChartBar, top: int, longest: int) -> str:
        drawn: list[str] = []
        x, height = 0.0, {"height": _THICK}
        for part, value in zip(self.parts, bar.values, strict=True):
            width = 100 * value / longest
            if value:
                place: _Place = {"x": _percent(x), "y": top + _LABEL, "width": _percent(width)}
                drawn.append(
                    element("rect", class_=f"chart-part tone-{part.tone}", **place, **height)
                )
            x += width
        room = _NARROW - len(bar.note)
        shown = f"{bar.label[: room - 1].rstrip()}…" if len(bar.label) > room else bar.label
        return element(
            "g",
            tooltip(f"{bar.label}: {self._describe(bar)}"),
            _heading(shown, bar.note, top + _LABEL - 6),
            element("rect", class_="chart-track", x=0, y=top + _LABEL, width="100%", **height),
            *drawn,
        )

    def _describe(self, bar: ChartBar) -> str:
        named = zip(self.parts, bar.values, strict=True)
        return ", ".join(f"{value:,} {part.name.lower()}" for part, value in named if value) or "0"


def round_up(value: int) -> int:
    """Return the next of 1, 2, 5, 10, 20, 50, 100 …"""
    power = 1
    while True:
        for step in (1, 2, 5):
            if value <= step * power:
                return step * power
        power *= 10


def _drawing(name: str, title: str, height: int, *parts: str, text: str = "") -> Markup:
    described = element("desc", escape_text(text), id=f"{name}-text") if text else ""
    labels = f"{name}-title {name}-text" if text else f"{name}-title"
    heading = element("title", escape_text(title), id=f"{name}-title")
    frame: _Place = {"class_": "chart", "role": "img", "width": "100%", "height": height}
    svg = element("svg", heading, described, *parts, **frame, aria_labelledby=labels)
    return Markup(svg)  # all texts are escaped


def _heading(name: str, end: str, y: int) -> str:
    """Return a text at the beginning and one at the end of a line."""
    start = element("text", escape_text(name), class_="chart-name", x=0, y=y)
    return start + element("text", escape_text(end), class_="chart-scale", x="100%", y=y)


def _percent(share: float) -> str:
    return f"{share:.3f}%"
