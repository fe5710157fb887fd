"""The rounds of an instant runoff or STV as bars: a row per candidate, a column per round."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from ranked_ballots.methods.runoff import Round, RunoffResult
from ranked_ballots.methods.stv import StvResult, StvRound
from ranked_ballots.pictures.picture import Canvas, Picture, compose
from ranked_ballots.pictures.style import color_classes
from ranked_ballots.pictures.svg import (
    element,
    escape_text,
    shorten_names,
    tooltip,
    widest,
)
from ranked_ballots.result import Number
from ranked_ballots.text import format_decimal, format_number, join_names

RoundsResult: TypeAlias = RunoffResult | StvResult
AnyRound: TypeAlias = Round | StvRound

TITLE = "Round by round"
CAPTION = (
    "Votes in each round. The number below the round, and the dashed line, is half of the ballots "
    "that still count. More than half wins.",
    "✓ wins, ✕ is eliminated, = is tied for the fewest votes.",
)
STV_CAPTION = (
    "Votes in each round. The number below the round, and the dashed line, is the quota. "
    "Candidates who reach it are elected, and the last ones left get the remaining seats.",
    "✓ is elected, ✕ is eliminated, = is tied.",
)
EMPTY = "No ballot ranks a candidate, so there are no rounds."
EXHAUSTED = "Exhausted"
_ROOM = 150
_STV_ROOM = 210  # numbers with decimals need wide columns anyway
_HEAD = 38
_ROW = 32
_DENSE_ROW = 25  # with many candidates
_GAP = 16


@dataclass(frozen=True, slots=True)
class _Grid:
    left: float
    column: float
    row: int
    max_votes: Number

    @property
    def bar_height(self) -> int:
        return self.row - 21

    def x(self, round_: AnyRound) -> float:
        return self.left + (round_.number - 1) * (self.column + _GAP)

    def bar_width(self, votes: Number) -> Fraction:
        """Return the length of a bar; the scale is the same in every round."""
        return Fraction(self.column) * Fraction(votes) / Fraction(self.max_votes)


def draw_round_bars(result: RoundsResult) -> Picture:
    """Draw the votes of each round, the majority, and the exhausted ballots."""
    names = result.ranked_candidates
    if has_no_votes(result):
        return compose(TITLE, (EMPTY,), Canvas(0, 0, ()), EMPTY)
    room = _STV_ROOM if isinstance(result, StvResult) else _ROOM
    short = shorten_names([*names, EXHAUSTED], room)
    colors = color_classes(result)
    grid = _grid(result, widest(short.values()) + 10)
    rows = {name: _HEAD + at * grid.row for at, name in enumerate(names)}
    bottom = _HEAD + len(names) * grid.row
    right = grid.x(result.rounds[-1]) + grid.column
    shapes = [_draw_name(name, short[name], y + grid.row / 2) for name, y in rows.items()]
    shapes.append(_draw_name(EXHAUSTED, EXHAUSTED, bottom + 8 + grid.row / 2, "quiet"))
    shapes += [
        element("path", class_="line", d=f"M0 {y + grid.row - 1:.0f}H{right:.0f}")
        for y in rows.values()
    ]
    for round_ in result.rounds:
        shapes.extend(_draw_round(grid, round_, rows, colors, bottom))
    canvas = Canvas(right + 8, bottom + grid.row + 8, tuple(shapes))
    caption = STV_CAPTION if isinstance(result, StvResult) else CAPTION
    return compose(TITLE, caption, canvas, describe_rounds(result.rounds))


def _grid(result: RoundsResult, left: float) -> _Grid:
    rounds = result.rounds
    votes = [
        (round_, votes)
        for round_ in rounds
        for votes in (*round_.tally.values(), round_.exhausted_total, threshold(round_))
    ]
    min_column = 92.0 if len(rounds) < 4 else 70.0 if len(rounds) < 8 else 52.0
    column = max(min_column, widest((format_votes(*each) for each in votes), 11) + 24)
    row = _ROW if len(result.candidates) < 13 else _DENSE_ROW
    return _Grid(left, column, row, max(number for _, number in votes))


def _draw_name(name: str, short: str, y: float, kind: str = "name") -> str:
    return element("text", tooltip(name), escape_text(short), class_=kind, x=0, y=y + 4)


def _draw_round(
    grid: _Grid, round_: AnyRound, rows: dict[str, int], colors: dict[str, str], bottom: float
) -> Iterator[str]:
    x = grid.x(round_)
    majority = escape_text(format_votes(round_, threshold(round_)))
    yield element("text", f"Round {round_.number}", class_="strong", x=x, y=12)
    yield element("text", majority, class_="small quiet", x=x, y=27)
    yield element("path", class_="line", d=f"M{x:.1f} {_HEAD - 4:.0f}V{bottom + grid.row + 4:.0f}")
    for name, votes in round_.tally.items():
        yield element(
            "rect",
            tooltip(f"Round {round_.number}: {name} {format_votes(round_, votes)}"),
            class_=colors[name],
            x=x,
            y=rows[name] + 16,
            width=grid.bar_width(votes),
            height=grid.bar_height,
        )
    middle = x + float(grid.bar_width(threshold(round_)))
    # The line crosses the bars, not the numbers above them.
    marks = "".join(f"M{middle:.1f} {y + 15}v{grid.bar_height + 2}" for y in rows.values())
    yield element("path", class_="half", d=marks)
    yield from (_draw_votes(grid, round_, name, rows[name]) for name in round_.tally)
    yield _draw_exhausted(grid, round_, bottom + 8)


def _draw_votes(grid: _Grid, round_: AnyRound, name: str, y: float) -> str:
    """Draw the number above a bar, with a mark for what happens to the candidate."""
    mark = find_mark(round_, name)
    if not mark and round_.tie is not None and name in round_.tie.tied:
        mark = "="
    kind = "small halo strong" if mark == "✓" else "small halo"
    votes = f"{format_votes(round_, round_.tally[name])} {mark}".rstrip()
    return element("text", escape_text(votes), class_=kind, x=grid.x(round_) + 3, y=y + 13)


def _draw_exhausted(grid: _Grid, round_: AnyRound, y: float) -> str:
    """Draw the ballots that no longer count as a striped bar."""
    x, width = grid.x(round_), float(grid.bar_width(round_.exhausted_total))
    votes = format_votes(round_, round_.exhausted_total)
    return element(
        "g",
        tooltip(f"Round {round_.number}: {EXHAUSTED} {votes}"),
        element(
            "path",
            class_="striped",
            d=f"M{x:.1f} {y + 16 + grid.bar_height / 2:.1f}h{width:.1f}",
            stroke_width=grid.bar_height,
        ),
        element("text", escape_text(votes), class_="small quiet", x=x + 3, y=y + 13),
        class_="exhausted",
    )


def has_no_votes(result: RoundsResult) -> bool:
    """Return whether no ballot ranks a candidate."""
    return not any(round_.continuing + round_.exhausted_total for round_ in result.rounds)


def threshold(round_: AnyRound) -> Number:
    """Return half of the ballots that count in the round, or the quota of its seats."""
    return round_.quota if isinstance(round_, StvRound) else Fraction(round_.continuing, 2)


def format_votes(round_: AnyRound, votes: Number) -> str:
    """Return the votes as a fraction, or as a decimal where the rules round votes."""
    return format_decimal(votes) if isinstance(round_, StvRound) else format_number(votes)


def find_mark(round_: AnyRound, name: str) -> str:
    """Return the sign for what happens to a candidate in the round, or an empty text."""
    winners = round_.elected if isinstance(round_, StvRound) else (round_.winner,)
    if name in winners:
        return "✓"
    return "✕" if name == round_.eliminated else ""


def describe_rounds(rounds: Sequence[AnyRound]) -> str:
    """Return every number of every round as text: the votes, and where they go next."""
    return "\n".join(line for round_ in rounds for line in _describe_round(round_))


def _describe_round(round_: AnyRound) -> Iterator[str]:
    tally = ", ".join(
        f"{name} {format_votes(round_, votes)}"
        for name, votes in sorted(round_.tally.items(), key=lambda entry: -entry[1])
    )
    is_stv = isinstance(round_, StvRound)
    count = ("vote" if is_stv else "ballot") + (" counts" if round_.continuing == 1 else "s count")
    limit = format_votes(round_, threshold(round_))
    exhausted = round_.exhausted_total
    yield (
        f"Round {round_.number}: {tally}. {format_votes(round_, round_.continuing)} {count}, "
        f"{f'the quota is {limit}' if is_stv else f'more than {limit} wins'}; "
        f"{format_votes(round_, exhausted)} {'is' if exhausted == 1 else 'are'} exhausted."
    )
    if isinstance(round_, StvRound) and round_.elected:
        yield f"Elected in round {round_.number}: {join_names(round_.elected)}."
    if isinstance(round_, Round) and round_.winner is not None:
        yield f"{round_.winner} has a majority in round {round_.number}."
    if round_.tie is not None and round_.tie.broken_by == "nothing":
        yield f"{join_names(round_.tie.tied)} are tied, and no rule breaks the tie."
    if round_.eliminated is not None and not round_.transfers:
        yield f"{round_.eliminated} is eliminated; no votes move."
    yield from _describe_moves(round_)


def _describe_moves(round_: AnyRound) -> Iterator[str]:
    moves: dict[str, list[str]] = {}
    for transfer in round_.transfers:
        target = f"exhausted ({transfer.reason})"
        if transfer.target is not None:
            target = f"to {transfer.target}"
        votes = format_votes(round_, transfer.votes)
        moves.setdefault(transfer.source, []).append(f"{votes} {target}")
    for source, targets in moves.items():
        what = "is eliminated" if source == round_.eliminated else "passes on votes"
        yield f"{source} {what}: {', '.join(targets)}."
