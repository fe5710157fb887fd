"""An instant runoff as bars: a row for each candidate, a column for each round."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from singletable_apps.counting.pictures.labels import distinct, widest
from singletable_apps.counting.pictures.markup import element, text, tip
from singletable_apps.counting.pictures.pairs import in_order
from singletable_apps.counting.pictures.picture import Canvas, Picture, drawn
from singletable_apps.counting.pictures.round_words import exhausted, half, round_words
from singletable_apps.counting.result import Number
from singletable_apps.counting.results.runoff import Round, RunoffResult
from singletable_apps.counting.text import format_number

TITLE = "Round by round"
CAPTION = (
    "Votes in each round. Below its number, and as a dashed line: half of the ballots that still "
    "count. More than half wins.",
    "✓ wins, ✕ is eliminated, = tied for the fewest.",
)
EMPTY = "No ballot counts for anybody, so there are no rounds."
EXHAUSTED = "Exhausted"
_ROOM = 118
_HEAD = 38
_ROW = 32
_DENSE = 25  # with many candidates
_GAP = 16


@dataclass(frozen=True, slots=True)
class _Grid:
    left: float
    column: float
    row: int
    most: Number

    @property
    def bar(self) -> int:
        return self.row - 21

    def x(self, round_: Round) -> float:
        return self.left + (round_.number - 1) * (self.column + _GAP)

    def long(self, votes: Number) -> Fraction:
        """How long the bar of so many votes is; the same in every round."""
        return Fraction(self.column) * Fraction(votes) / Fraction(self.most)


def draw_round_bars(result: RunoffResult) -> Picture:
    """Each round's votes, the line that makes a winner, and what is exhausted."""
    names = in_order(result)
    if not result.rounds:
        return drawn(TITLE, (EMPTY,), Canvas(0, 0, ()), EMPTY)
    short = distinct([*names, EXHAUSTED], _ROOM)
    grid = _grid(result, widest(short.values()) + 10)
    rows = {name: _HEAD + at * grid.row for at, name in enumerate(names)}
    bottom = _HEAD + len(names) * grid.row
    right = grid.x(result.rounds[-1]) + grid.column
    marks = [_name(name, short[name], y + grid.row / 2) for name, y in rows.items()]
    marks.append(_name(EXHAUSTED, EXHAUSTED, bottom + 8 + grid.row / 2, "quiet"))
    marks += [
        element("path", class_="line", d=f"M0 {y + grid.row - 1:.0f}H{right:.0f}")
        for y in rows.values()
    ]
    for each in result.rounds:
        marks.extend(_round(grid, each, rows, bottom))
    canvas = Canvas(right + 8, bottom + grid.row + 8, tuple(marks))
    return drawn(TITLE, CAPTION, canvas, round_words(result))


def _grid(result: RunoffResult, left: float) -> _Grid:
    votes = [votes for each in result.rounds for votes in (*each.tally.values(), exhausted(each))]
    most = max(*votes, *(half(each) for each in result.rounds))
    texts = [*map(format_number, votes), *(format_number(half(each)) for each in result.rounds)]
    few = 92.0 if len(result.rounds) < 4 else 70.0 if len(result.rounds) < 8 else 52.0
    row = _ROW if len(result.candidates) < 13 else _DENSE
    return _Grid(left, max(few, widest(texts, 11) + 24), row, most)


def _name(name: str, short: str, y: float, kind: str = "name") -> str:
    return element("text", tip(name), text(short), class_=kind, x=0, y=y + 4)


def _round(grid: _Grid, round_: Round, rows: dict[str, int], bottom: float) -> Iterator[str]:
    x = grid.x(round_)
    yield element("text", f"Round {round_.number}", class_="strong", x=x, y=12)
    yield element("text", text(format_number(half(round_))), class_="small quiet", x=x, y=27)
    yield element("path", class_="line", d=f"M{x:.1f} {_HEAD - 4:.0f}V{bottom + grid.row + 4:.0f}")
    for name, votes in round_.tally.items():
        yield _bar(grid, round_, name, votes, rows[name])
    at = x + float(grid.long(half(round_)))
    yield element("path", class_="half", d=f"M{at:.1f} {_HEAD - 6:.0f}V{bottom:.0f}")
    yield from (_figure(grid, round_, name, rows[name]) for name in round_.tally)
    yield _gone(grid, round_, bottom + 8)


def _bar(grid: _Grid, round_: Round, name: str, votes: Number, y: float) -> str:
    kind = "wins" if name == round_.winner else "goes" if name == round_.eliminated else "bar"
    return element(
        "rect",
        tip(f"Round {round_.number}: {name} {format_number(votes)}"),
        class_=kind,
        x=grid.x(round_),
        y=y + 16,
        width=grid.long(votes),
        height=grid.bar,
    )


def _figure(grid: _Grid, round_: Round, name: str, y: float) -> str:
    """The number above a bar, with what becomes of the candidate in this round."""
    mark, kind = "", "small halo"
    if name == round_.winner:
        mark, kind = " ✓", "small halo strong"
    elif name == round_.eliminated:
        mark = " ✕"
    elif round_.tie is not None and name in round_.tie.tied:
        mark = " ="
    votes = format_number(round_.tally[name])
    return element("text", text(votes + mark), class_=kind, x=grid.x(round_) + 3, y=y + 13)


def _gone(grid: _Grid, round_: Round, y: float) -> str:
    """Ballots that count for nobody: a bar of stripes."""
    votes = exhausted(round_)
    x, long = grid.x(round_), float(grid.long(votes))
    return element(
        "g",
        tip(f"Round {round_.number}: {EXHAUSTED} {format_number(votes)}"),
        element(
            "path",
            class_="striped",
            d=f"M{x:.1f} {y + 16 + grid.bar / 2:.1f}h{long:.1f}",
            stroke_width=grid.bar,
        ),
        element("text", text(format_number(votes)), class_="small quiet", x=x + 3, y=y + 13),
        class_="exhausted",
    )
