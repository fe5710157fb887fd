"""Head to head as an SVG matrix and as an HTML table, in the order of the result."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ranked_ballots.methods.ranked_pairs import RankedPairsResult
from ranked_ballots.methods.schulze import SchulzeResult
from ranked_ballots.methods.scores import CopelandResult
from ranked_ballots.pairwise import describe_pair
from ranked_ballots.pictures.picture import Canvas, Picture, compose
from ranked_ballots.pictures.svg import (
    element,
    escape_text,
    shorten_names,
    tooltip,
    widest,
)
from ranked_ballots.text import format_number

PairwiseResult: TypeAlias = SchulzeResult | RankedPairsResult | CopelandResult
Outcome: TypeAlias = Literal["win", "lose", "level"]

TITLE = "Head to head"
CAPTION = (
    "Ballots that prefer the row to the column.",
    "Bold, blue, with a corner: the row wins. Orange: the row loses. =: a tie.",
)
TABLE_CAPTION = "Head to head: ballots that prefer the row to the column, and the reverse."
_SHADES = 5
_ROOM = 118
_WIDE_ROOM = 260  # for names of rows, if columns have numbers
_TABLE_ROOM = 240
_SLANT = 0.72  # names of columns are rotated by 45 degrees
_LEGEND_HEIGHT = 34
_LEGEND_WIDTH = 300
_SWATCH = 15
_SIGNS = {"win": "▲", "lose": "▽", "level": "="}
_OUTCOMES = {"win": "wins", "lose": "loses", "level": "tie"}


@dataclass(frozen=True, slots=True)
class PairCell:
    """How many ballots prefer the candidate of the row to that of the column, and the reverse."""

    row: str
    column: str
    votes: int
    against: int

    @property
    def outcome(self) -> Outcome:
        """Return the outcome for the candidate of the row."""
        if self.votes == self.against:
            return "level"
        return "win" if self.votes > self.against else "lose"

    @property
    def shade(self) -> str:
        """Return the class of the color: deeper for a larger share of the winner."""
        if self.outcome == "level":
            return "level"
        ahead = abs(self.votes - self.against) * _SHADES
        step = 1 + min(_SHADES - 1, ahead // (self.votes + self.against))
        return f"{self.outcome}-{step}"


def pair_cell(result: PairwiseResult, row: str, column: str) -> PairCell:
    """Return one pair of a result."""
    a, b = result.candidates.index(row), result.candidates.index(column)
    return PairCell(row, column, result.preferences[a][b], result.preferences[b][a])


def draw_pairwise_matrix(result: PairwiseResult) -> Picture:
    """Draw every pair as a matrix with numbers.

    If names are too long for columns, rows are numbered and columns have the numbers.
    """
    names = result.ranked_candidates
    columns = shorten_names(names, _ROOM)
    rows = columns
    prefixes = {name: f"{place}." for name, place in result.place_numbers.items()}
    if any(short != name for name, short in columns.items()):
        prefixes = {name: str(number) for number, name in enumerate(names, start=1)}
        columns = prefixes
        rows = shorten_names(names, _WIDE_ROOM)
    is_large = len(names) > 12
    height = 22.0 if is_large else 32.0
    votes = (format_number(number) for row in result.preferences for number in row)
    width = max(widest(votes, 13) + 16, 30.0 if is_large else 40.0)  # 13: bold text is wider
    indent = widest(prefixes.values()) + 4
    left = indent + widest(rows.values()) + 8
    top = widest(columns.values()) * _SLANT + 14
    shapes: list[str] = []
    for at, name in enumerate(names):
        y = top + at * height
        shapes.append(_draw_column_name(name, columns[name], left + at * width + width / 2, top))
        shapes.append(_draw_row_name(name, rows[name], prefixes[name], indent, y + height / 2))
        shapes.extend(
            _draw_cell(pair_cell(result, name, other), left + to * width, y, width, height)
            for to, other in enumerate(names)
        )
    right = left + len(names) * width
    overhang = max(widest(columns.values()) * _SLANT - width / 2 + 8, 0)
    bottom = top + len(names) * height
    shapes.extend(_draw_legend(0, bottom + 16))
    canvas = Canvas(max(right + overhang, _LEGEND_WIDTH), bottom + _LEGEND_HEIGHT, tuple(shapes))
    return compose(TITLE, CAPTION, canvas, _describe(result))


def _draw_column_name(name: str, short: str, x: float, bottom: float) -> str:
    rotation = f"translate({x:.1f} {bottom - 7:.1f}) rotate(-45)"
    return element("text", tooltip(name), escape_text(short), transform=rotation)


def _draw_row_name(name: str, short: str, prefix: str, indent: float, y: float) -> str:
    return element(
        "text", escape_text(prefix), class_="quiet", x=indent - 4, y=y + 4, text_anchor="end"
    ) + element("text", tooltip(name), escape_text(short), x=indent, y=y + 4)


def _draw_cell(pair: PairCell, x: float, y: float, width: float, height: float) -> str:
    if pair.row == pair.column:
        stroke = f"M{x + 6:.1f} {y + 5:.1f}l{width - 12:.1f} {height - 10:.1f}"
        return element("path", class_="line", d=stroke)
    votes = f"{format_number(pair.votes)} to {format_number(pair.against)}"
    background = element(
        "rect", class_=pair.shade, x=x + 0.5, y=y + 0.5, width=width - 1, height=height - 1
    )
    number = element(
        "text",
        escape_text(format_number(pair.votes)),
        class_="strong" if pair.outcome == "win" else "small",
        x=x + width / 2,
        y=y + height / 2 + 4,
        text_anchor="middle",
    )
    mark = ""
    if pair.outcome == "win":
        mark = element("path", class_="corner", d=f"M{x + 0.5:.1f} {y + 0.5:.1f}h7l-7 7z")
    elif pair.outcome == "level":
        mark = element("text", "=", class_="small quiet", x=x + 2, y=y + 9)
    title = tooltip(f"{pair.row} against {pair.column}: {votes}")
    return element("g", title, background, mark, number, class_="cell")


def _draw_legend(x: float, y: float) -> Iterator[str]:
    """Draw the shades from a loss by all ballots to a win by all."""
    yield element("text", "loses by all", class_="small quiet", x=x, y=y + 11)
    x += 68
    shades = [f"lose-{step}" for step in range(_SHADES, 0, -1)]
    shades += ["level", *(f"win-{step}" for step in range(1, _SHADES + 1))]
    for shade in shades:
        yield element("rect", class_=shade, x=x, y=y, width=_SWATCH - 1, height=14)
        x += _SWATCH
    yield element("text", "wins by all", class_="small quiet", x=x + 5, y=y + 11)


def _describe(result: PairwiseResult) -> str:
    names = result.ranked_candidates
    if len(names) == 1:
        return f"{names[0]} is the only candidate."
    return "\n".join(
        f"{describe_pair(result.candidates, result.preferences, a, b)}."
        for at, a in enumerate(names)
        for b in names[at + 1 :]
    )


def render_pairwise_table(result: PairwiseResult) -> str:
    """Return an HTML table with both numbers of each pair, and sticky, accessible headers."""
    names = result.ranked_candidates
    short = shorten_names(names, _TABLE_ROOM)
    places = result.place_numbers
    head = element(
        "tr",
        element("th", escape_text("Candidate"), scope="col"),
        *(element("th", _render_name(name, short[name]), scope="col") for name in names),
    )
    body = (
        element(
            "tr",
            element("th", f"{places[name]}. ", _render_name(name, short[name]), scope="row"),
            *(_render_cell(pair_cell(result, name, other)) for other in names),
        )
        for name in names
    )
    return element(
        "table",
        element("caption", escape_text(TABLE_CAPTION)),
        element("thead", head),
        element("tbody", *body),
        class_="count-table",
    )


def _render_name(name: str, short: str) -> str:
    """Isolate a name that may be written from right to left."""
    title = {} if short == name else {"title": name}
    return element("bdi", escape_text(short), **title)


def _render_cell(pair: PairCell) -> str:
    if pair.row == pair.column:
        return element("td", "–", class_="self")
    sign = element("abbr", _SIGNS[pair.outcome], title=_OUTCOMES[pair.outcome])
    outcome = "level" if pair.outcome == "level" else f"{_OUTCOMES[pair.outcome]} {pair.shade}"
    votes = f"{format_number(pair.votes)} : {format_number(pair.against)}"
    return element("td", f"{sign} {votes}", class_=outcome)
