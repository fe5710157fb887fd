"""Head to head as a map: how many prefer the row's candidate to the column's, best first."""

from __future__ import annotations

from collections.abc import Iterator

from singletable_apps.counting.explaining.pairs import beats
from singletable_apps.counting.pictures.labels import distinct, widest
from singletable_apps.counting.pictures.markup import element, text, tip
from singletable_apps.counting.pictures.pairs import (
    SHADES,
    Cell,
    PairsResult,
    cell,
    in_order,
    place_of,
)
from singletable_apps.counting.pictures.picture import Canvas, Picture, drawn
from singletable_apps.counting.text import format_number

TITLE = "Head to head"
CAPTION = (
    "Ballots that prefer the row to the column.",
    "Bold, blue, with a corner: the row wins. Orange: it loses. =: level.",
)
_ROOM = 118
_SLANT = 0.72  # names of columns lean by 45 degrees
_LEGEND = 34


def draw_pairwise_matrix(result: PairsResult) -> Picture:
    """Every pair of a count, as a square of cells, with the numbers in them."""
    names = in_order(result)
    many = len(names) > 12
    high = 22.0 if many else 32.0
    votes = (format_number(each) for row in result.preferences for each in row)
    wide = max(widest(votes, 13) + 16, 30.0 if many else 40.0)  # a point more, for the bold ones
    short = distinct(names, _ROOM)
    places = {name: f"{place}." for name, place in place_of(result).items()}
    indent = widest(places.values()) + 4
    left = indent + widest(short.values()) + 8
    top = widest(short.values()) * _SLANT + 14
    marks: list[str] = []
    for at, name in enumerate(names):
        x, y = left + at * wide, top + at * high
        marks.append(_column(name, short[name], x + wide / 2, top))
        marks.append(_row(name, short[name], places[name], indent, y + high / 2))
        marks.extend(
            _cell(cell(result, name, other), left + to * wide, y, wide, high)
            for to, other in enumerate(names)
        )
    across = left + len(names) * wide
    overhang = max(widest(short.values()) * _SLANT - wide / 2 + 8, 0)
    bottom = top + len(names) * high
    marks.extend(_legend(0, bottom + 16))
    width = max(across + overhang, _LEGEND_WIDTH)
    return drawn(TITLE, CAPTION, Canvas(width, bottom + _LEGEND, tuple(marks)), _words(result))


def _column(name: str, short: str, x: float, bottom: float) -> str:
    turned = f"translate({x:.1f} {bottom - 7:.1f}) rotate(-45)"
    return element("text", tip(name), text(short), transform=turned)


def _row(name: str, short: str, place: str, indent: float, y: float) -> str:
    return element(
        "text", text(place), class_="quiet", x=indent - 4, y=y + 4, text_anchor="end"
    ) + element("text", tip(name), text(short), x=indent, y=y + 4)


def _cell(pair: Cell, x: float, y: float, wide: float, high: float) -> str:
    if pair.row == pair.column:
        stroke = f"M{x + 6:.1f} {y + 5:.1f}l{wide - 12:.1f} {high - 10:.1f}"
        return element("path", class_="line", d=stroke)
    said = (
        f"{pair.row} against {pair.column}: {format_number(pair.votes)} to "
        f"{format_number(pair.against)}"
    )
    ground = element(
        "rect", class_=pair.shade, x=x + 0.5, y=y + 0.5, width=wide - 1, height=high - 1
    )
    figure = element(
        "text",
        text(format_number(pair.votes)),
        class_="strong" if pair.sign == "win" else "small",
        x=x + wide / 2,
        y=y + high / 2 + 4,
        text_anchor="middle",
    )
    mark = ""
    if pair.sign == "win":
        mark = element("path", class_="corner", d=f"M{x + 0.5:.1f} {y + 0.5:.1f}h7l-7 7z")
    elif pair.sign == "level":
        mark = element("text", "=", class_="small quiet", x=x + 2, y=y + 9)
    return element("g", tip(said), ground, mark, figure, class_="cell")


_SWATCH = 15
_LEGEND_WIDTH = 300


def _legend(x: float, y: float) -> Iterator[str]:
    """From lost by all to won by all, through level."""
    yield element("text", "loses by all", class_="small quiet", x=x, y=y + 11)
    x += 68
    shades = [f"lose-{step}" for step in range(SHADES, 0, -1)]
    shades += ["level", *(f"win-{step}" for step in range(1, SHADES + 1))]
    for shade in shades:
        yield element("rect", class_=shade, x=x, y=y, width=_SWATCH - 1, height=14)
        x += _SWATCH
    yield element("text", "wins by all", class_="small quiet", x=x + 5, y=y + 11)


def _words(result: PairsResult) -> str:
    names = in_order(result)
    if len(names) == 1:
        return f"{names[0]} is the only candidate."
    return "\n".join(
        f"{beats(result.candidates, result.preferences, a, b)}."
        for at, a in enumerate(names)
        for b in names[at + 1 :]
    )
