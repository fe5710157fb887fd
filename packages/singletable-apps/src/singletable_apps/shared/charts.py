"""Bar charts, drawn as SVG on the server: counts per day, and counts per name in stacked parts.

All positions across are percentages, so a chart is as wide as its place on the page while its text
keeps its size. Colors are CSS classes in `pages/styles/figures.css`. The macro `figure.chart` shows
the drawing with its data as a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from markupsafe import Markup

from singletable_apps.shared.languages import ENGLISH, Language

_PLOT = 150
_SMALL_PLOT = 56
_HEADING = 24
_AXIS = 24
_BAR = 0.74
_LABELS = 5
# Rows of stacked bars.
_ROW, _LABEL, _THICK = 42, 22, 10
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
        parts: list[Markup] = []
        top = 0
        for number, each in enumerate(self.series, 1):
            height = _PLOT if number == 1 else _SMALL_PLOT
            parts.append(self._plot(each, number, top + _HEADING, height))
            top += _HEADING + height + 8
        parts.append(self._axis(top))
        return Markup(
            '<svg class="chart" role="img" width="100%" height="{height}" '
            'aria-labelledby="{id}-title {id}-text"><title id="{id}-title">{title}</title>'
            '<desc id="{id}-text">{text}</desc>{parts}</svg>'
        ).format(
            height=top + _AXIS,
            id=self.id,
            title=self.language.gettext(self.title),
            text=self.text,
            parts=Markup("").join(parts),
        )

    def _plot(self, series: Series, number: int, top: int, height: int) -> Markup:
        highest = round_up(max(series.values))
        base = top + height
        step = 100 / len(self.days)
        bars = Markup("").join(
            Markup(
                '<g class="chart-day"><rect class="chart-slot" x="{x:.3f}%" y="{top}" '
                'width="{step:.3f}%" height="{height}"/><rect class="chart-bar" x="{bar:.3f}%" '
                'y="{y:.1f}" width="{width:.3f}%" height="{tall:.1f}" rx="1.5"/>'
                "<title>{title}</title></g>"
            ).format(
                x=at * step,
                bar=at * step + step * (1 - _BAR) / 2,
                step=step,
                width=step * _BAR,
                top=top,
                height=height,
                y=base - height * value / highest,
                tall=height * value / highest,
                title=f"{self._day(day)}: {self._count(series, value)}",
            )
            for at, (day, value) in enumerate(zip(self.days, series.values, strict=True))
        )
        return Markup(
            '<g class="chart-{number}"><text class="chart-name" x="0" y="{name_y}">'
            '{name}</text><text class="chart-scale" x="100%" y="{name_y}">{highest}</text>'
            '<line class="chart-grid" x1="0" x2="100%" y1="{top}" y2="{top}"/>{bars}'
            '<line class="chart-base" x1="0" x2="100%" y1="{base}" y2="{base}"/></g>'
        ).format(
            number=number,
            name=self._count(series, sum(series.values)),
            highest=self.language.number(highest),
            name_y=top - 8,
            top=top,
            base=base,
            bars=bars,
        )

    def _axis(self, top: int) -> Markup:
        """Label the first and the last day and some between, which phones leave out."""
        last = len(self.days) - 1
        wanted = sorted({round(last * at / (_LABELS - 1)) for at in range(_LABELS)})
        labels: list[Markup] = []
        for at in wanted:
            edge = "start" if at == 0 else "end" if at == last else "middle"
            x = 0 if at == 0 else 100 if at == last else (at + 0.5) * 100 / len(self.days)
            labels.append(
                Markup('<text class="chart-label chart-{}" x="{:.2f}%" y="{}">{}</text>').format(
                    edge, x, top + 12, self.language.date(self.days[at], "d MMM")
                )
            )
        return Markup("").join(labels)

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
        return Markup(
            '<svg class="chart" role="img" width="100%" height="{height}" '
            'aria-labelledby="{id}-title"><title id="{id}-title">{title}</title>{bars}</svg>'
        ).format(
            height=len(self.bars) * _ROW, id=self.id, title=self.title, bars=Markup("").join(drawn)
        )

    def _bar(self, bar: ChartBar, top: int, longest: int) -> Markup:
        drawn: list[Markup] = []
        x = 0.0
        for part, value in zip(self.parts, bar.values, strict=True):
            width = 100 * value / longest
            if value:
                drawn.append(
                    Markup(
                        '<rect class="chart-part tone-{}" x="{:.3f}%" y="{}" width="{:.3f}%" '
                        'height="{}"/>'
                    ).format(part.tone, x, top + _LABEL, width, _THICK)
                )
            x += width
        room = _NARROW - len(bar.note)
        shown = f"{bar.label[: room - 1].rstrip()}…" if len(bar.label) > room else bar.label
        return Markup(
            '<g><title>{label}: {text}</title><text class="chart-name" x="0" y="{y}">{shown}</text>'
            '<text class="chart-scale" x="100%" y="{y}">{note}</text><rect class="chart-track" '
            'x="0" y="{bar}" width="100%" height="{thick}"/>{parts}</g>'
        ).format(
            label=bar.label,
            shown=shown,
            text=self._describe(bar),
            note=bar.note,
            y=top + _LABEL - 6,
            bar=top + _LABEL,
            thick=_THICK,
            parts=Markup("").join(drawn),
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
