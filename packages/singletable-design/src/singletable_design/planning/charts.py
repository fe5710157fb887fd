"""Charts and pages for reports: SVG and HTML without scripts, for light and dark screens.

Charts stretch to the width of the page while their text keeps its size, so that they are readable
on a phone. A page is one self-contained file.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal, TypeAlias
from zlib import crc32

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


def line_chart(
    title: str,
    lines: Sequence[Line],
    *,
    ticks: Sequence[str],
    unit: str,
    limit: float | None = None,
) -> str:
    """Draw lines over time; `ticks` label the horizontal axis from its start to its end.

    `limit` is the highest value shown; without it, the highest value of all lines.
    """
    highest = limit or max((max(line.values, default=0.0) for line in lines), default=0.0)
    top = _round_up(highest * _HEADROOM) or 1.0
    grid = [top * step / _GRID_LINES for step in range(1, _GRID_LINES + 1)]
    parts = [
        *(_grid_line(value / top, format_number(value)) for value in grid),
        f'<line class="axis" x1="0" x2="100%" y1="{_PLOT_HEIGHT}" y2="{_PLOT_HEIGHT}"/>',
        *_tick_labels(ticks),
        f'<svg viewBox="0 0 1000 1000" preserveAspectRatio="none" x="0" y="0" width="100%" '
        f'height="{_PLOT_HEIGHT}">',
        *(_draw_line(line, top, number) for number, line in enumerate(lines)),
        "</svg>",
    ]
    legend = "".join(
        f'<span class="{_line_class(line, number)}"><i></i>{escape(line.name)}</span>'
        for number, line in enumerate(lines)
    )
    summary = "; ".join(
        f"{line.name}: at most {format_number(max(line.values, default=0.0))}" for line in lines
    )
    svg = _svg(f"{title}, in {unit}. {summary}.", _PLOT_HEIGHT + _AXIS_HEIGHT, parts)
    return _figure(title, f'<p class="legend">{legend}<span>{escape(unit)}</span></p>{svg}')


def bar_chart(title: str, bars: Sequence[Bar], *, limit: float | None = None) -> str:
    """Draw horizontal bars with their labels above them; `limit` is the length of a full bar."""
    top = limit or max((bar.value for bar in bars), default=0.0) or 1.0
    parts: list[str] = []
    for number, bar in enumerate(bars):
        y = number * _BAR_HEIGHT
        width = min(100.0, 100.0 * bar.value / top)
        kind = "bad" if bar.is_bad else "bar"
        parts += [
            f'<text x="0" y="{y + 13}">{escape(_fit(bar.label, bar.text))}</text>',
            f'<text class="end" x="100%" y="{y + 13}">{escape(bar.text)}</text>',
            f'<rect class="track" x="0" y="{y + 19}" width="100%" height="10" rx="3"/>',
            f'<rect class="{kind}" x="0" y="{y + 19}" width="{width:.2f}%" height="10" rx="3"/>',
        ]
    summary = "; ".join(f"{bar.label}: {bar.text}" for bar in bars)
    return _figure(title, _svg(f"{title}. {summary}.", len(bars) * _BAR_HEIGHT, parts))


def heat_map(title: str, rows: Sequence[HeatRow], *, ticks: Sequence[str], note: str = "") -> str:
    """Draw rows of cells; the darker a cell, the nearer to its limit, and red over the limit."""
    height = len(rows) * _HEAT_ROW_HEIGHT
    parts: list[str] = []
    for number, row in enumerate(rows):
        y = number * _HEAT_ROW_HEIGHT
        parts.append(f'<text x="0" y="{y + 15}">{escape(row.label)}</text>')
        parts.append(
            f'<svg viewBox="0 0 {max(1, len(row.values))} 1" preserveAspectRatio="none" '
            f'x="{_LABEL_SHARE}%" y="{y}" width="{100 - _LABEL_SHARE}%" '
            f'height="{_HEAT_ROW_HEIGHT - 2}">'
        )
        parts.append('<rect class="track" width="100%" height="1"/>')
        parts += [
            f'<rect class="{"bad" if share >= 1 else "heat"}" x="{x}" width="1.02" height="1"'
            + ("/>" if share >= 1 else f' fill-opacity="{share:.2f}"/>')
            for x, share in enumerate(row.values)
            if share >= 0.005
        ]
        parts.append("</svg>")
    parts += _tick_labels(ticks, y=height + 15, start=_LABEL_SHARE)
    summary = "; ".join(f"{row.label}: at most {max(row.values, default=0):.0%}" for row in rows)
    legend = (
        '<p class="legend"><span class="heat"><i></i>near its limit</span>'
        f'<span class="bad"><i></i>over its limit</span><span>{escape(note)}</span></p>'
    )
    svg = _svg(f"{title}. {summary}.", height + _AXIS_HEIGHT, parts)
    return _figure(title, legend + svg)


def html_table(caption: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table with a caption; the first cell of a row names it.

    Columns of numbers are aligned on the right.
    """
    rows = list(rows)
    kinds = [
        _NUMBER if number and all(_is_number(row[number]) for row in rows) else ""
        for number in range(len(columns))
    ]
    head = "".join(
        f'<th scope="col"{kind}>{escape(column)}</th>'
        for column, kind in zip(columns, kinds, strict=True)
    )
    body = "".join(
        "<tr>"
        + f'<th scope="row">{escape(first)}</th>'
        + "".join(
            f"<td{kind}>{escape(cell)}</td>" for cell, kind in zip(rest, kinds[1:], strict=True)
        )
        + "</tr>"
        for first, *rest in rows
    )
    return (
        '<div class="scroll" tabindex="0" role="region" '
        f'aria-label="{escape(caption)}"><table><caption>{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def key_figures(figures: Iterable[tuple[str, str, str]]) -> str:
    """Return the most important figures in large type: a label, a value and a note each."""
    tiles = "".join(
        f"<div><dt>{escape(label)}</dt><dd><strong>{escape(value)}</strong>"
        f"<span>{escape(note)}</span></dd></div>"
        for label, value, note in figures
    )
    return f'<dl class="figures">{tiles}</dl>'


def html_page(title: str, summary: str, sections: Iterable[tuple[str, Iterable[str]]]) -> str:
    """Return a self-contained page; a section is a heading and pieces of HTML."""
    body = "\n".join(
        f"<section><h2>{escape(heading)}</h2>\n{''.join(parts)}</section>"
        for heading, parts in sections
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n"
        f'<h1>{escape(title)}</h1>\n<p class="summary">{escape(summary)}</p>\n{body}\n</main>\n'
        "</body>\n</html>\n"
    )


def paragraph(text: str, *, css_class: str = "") -> str:
    """Return a paragraph of plain text."""
    attribute = f' class="{css_class}"' if css_class else ""
    return f"<p{attribute}>{escape(text)}</p>"


def format_number(value: float) -> str:
    """Format a number with at most three digits that matter: 0.25, 12.5, 1,234."""
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:,.3g}"


def format_percent(share: float) -> str:
    """Format a share: 0 %, 0.05 %, 12 %."""
    if 0 < share < 0.0001:
        return "< 0.01 %"
    return f"{format_number(100 * share)} %"


def format_latency(seconds: float) -> str:
    """Format a latency in milliseconds or seconds."""
    if not seconds:
        return "–"
    if seconds >= 1:
        return f"{seconds:.3g} s"
    return f"{seconds * 1000:.1f} ms" if seconds < 0.01 else f"{seconds * 1000:.0f} ms"


def _svg(label: str, height: int, parts: Iterable[str]) -> str:
    name = f"chart-{crc32(label.encode()):08x}"
    return (
        f'<svg role="img" aria-labelledby="{name}" width="100%" height="{height}">'
        f'<title id="{name}">{escape(label)}</title>{"".join(parts)}</svg>'
    )


def _fit(label: str, text: str) -> str:
    """Return a label that leaves room for the text beside it, also on a phone."""
    room = max(12, _BAR_CHARACTERS - len(text))
    return label if len(label) <= room else f"{label[: room - 1]}…"


def _figure(title: str, content: str) -> str:
    return f"<figure><figcaption>{escape(title)}</figcaption>{content}</figure>"


def _grid_line(share: float, label: str) -> str:
    y = _PLOT_HEIGHT * (1 - share)
    return (
        f'<line class="grid" x1="0" x2="100%" y1="{y:.1f}" y2="{y:.1f}"/>'
        f'<text class="muted" x="0" y="{y + 13:.1f}">{label}</text>'
    )


def _tick_labels(
    ticks: Sequence[str], *, y: int = _PLOT_HEIGHT + 16, start: float = 0.0
) -> list[str]:
    last = len(ticks) - 1
    labels: list[str] = []
    for number, tick in enumerate(ticks):
        anchor = "end" if number == last and last else "middle" if number else "start"
        x = start + (100 - start) * (number / last if last else 0)
        labels.append(f'<text class="muted {anchor}" x="{x:.2f}%" y="{y}">{escape(tick)}</text>')
    return labels


def _draw_line(line: Line, top: float, number: int) -> str:
    values = _thin_out(line.values)
    step = 1000 / max(1, len(values) - 1)
    ends = [(x * step, 1000 * (1 - min(1.0, value / top))) for x, value in enumerate(values)]
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in ends)
    name = _line_class(line, number)
    drawn = f'<polyline class="{name}" points="{points}"/>'
    if line.kind in ("area", "bad"):
        drawn += f'<polygon class="{name}" points="0,1000 {points} 1000,1000"/>'
    return drawn


def _line_class(line: Line, number: int) -> str:
    return line.kind if line.kind in ("limit", "bad") else f"line-{number % 4}"


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


def _is_number(text: str) -> bool:
    """Return whether a cell is empty, or begins with a number."""
    return not text.strip("–") or text.lstrip("$+-−< ")[:1].isdigit()


_NUMBER = ' class="number"'
_STYLE = """
:root {
  color-scheme: light dark;
  --surface: #fcfcfb; --ink: #1a1a19; --muted: #62615d; --rule: #dddcd7; --track: #eeede9;
  --one: #2a78d6; --two: #b45309; --three: #0f8a5f; --four: #7c5cc4; --bad: #c92a2a;
  --heat: #1c5cab;
}
@media (prefers-color-scheme: dark) {
  :root {
    --surface: #1a1a19; --ink: #f1f0ec; --muted: #a3a29c; --rule: #3b3a37; --track: #2a2a28;
    --one: #5598e7; --two: #e08a3c; --three: #35b384; --four: #a68be6; --bad: #f06a6a;
    --heat: #6da7ec;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--surface); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .5rem; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .5rem; }
p { margin: .5rem 0; max-width: 46rem; }
.summary { font-size: 1.1rem; }
.note, .legend, figcaption + .legend { color: var(--muted); font-size: .875rem; }
.warning { border-left: 4px solid var(--bad); padding-left: .75rem; }
figure { margin: 1.25rem 0; }
figcaption { font-weight: 600; margin-bottom: .25rem; }
svg { display: block; overflow: visible; }
svg text { fill: var(--ink); font: 12px system-ui, -apple-system, "Segoe UI", sans-serif; }
svg text.muted { fill: var(--muted); paint-order: stroke; stroke: var(--surface);
  stroke-width: 3px; }
svg text.middle { text-anchor: middle; }
svg text.end { text-anchor: end; font-variant-numeric: tabular-nums; }
.grid { stroke: var(--rule); }
.axis { stroke: var(--muted); }
polyline { fill: none; stroke: currentColor; stroke-width: 2; vector-effect: non-scaling-stroke; }
polygon { fill: currentColor; fill-opacity: .18; stroke: none; }
.line-0 { color: var(--one); } .line-1 { color: var(--two); } .line-2 { color: var(--three); }
.line-3 { color: var(--four); } .limit { color: var(--muted); }
polyline.limit { stroke-dasharray: 6 5; }
svg .bad { color: var(--bad); fill: var(--bad); } polyline.bad { fill: none; }
.track { fill: var(--track); } .bar { fill: var(--one); } rect.heat { fill: var(--heat); }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 0 0 .5rem; }
.legend span { color: var(--muted); }
.legend i { display: inline-block; width: 1rem; height: .25rem; border-radius: 2px;
  margin-right: .4rem; vertical-align: middle; background: var(--muted); }
.legend .line-0 i { background: var(--one); } .legend .line-1 i { background: var(--two); }
.legend .line-2 i { background: var(--three); } .legend .line-3 i { background: var(--four); }
.legend .bad i { background: var(--bad); } .legend .heat i { background: var(--heat); }
.legend .limit i { background: repeating-linear-gradient(90deg, var(--muted) 0 .3rem,
  transparent .3rem .5rem); }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr));
  gap: .75rem; margin: 1rem 0; }
.figures div { border: 1px solid var(--rule); border-radius: 8px; padding: .75rem 1rem; }
.figures dt, .figures span { color: var(--muted); font-size: .875rem; }
.figures dd { margin: 0; } .figures span { display: block; }
.figures strong { font-size: 1.5rem; font-variant-numeric: tabular-nums; line-height: 1.3; }
h3 { font-size: 1rem; margin: 1.25rem 0 .25rem; }
ul { padding-left: 1.25rem; max-width: 46rem; } li { margin: .25rem 0; }
summary { cursor: pointer; padding: .25rem 0; }
.scroll { overflow-x: auto; margin: 1rem 0; }
.scroll:focus-visible { outline: 2px solid var(--one); outline-offset: 2px; }
table { border-collapse: collapse; min-width: 100%; font-size: .9375rem; }
caption { text-align: left; font-weight: 600; padding-bottom: .4rem; }
th, td { text-align: left; padding: .4rem 1rem .4rem 0; border-bottom: 1px solid var(--rule);
  vertical-align: top; }
thead th { color: var(--muted); font-weight: 600; white-space: nowrap; }
tbody th { font-weight: 500; min-width: 9rem; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td:last-child:not(.number) { min-width: 14rem; }
th:last-child, td:last-child { padding-right: 0; }
@media print { main { max-width: none; } .scroll { overflow: visible; } }
"""
