"""Where each vote goes, round by round, as streams; what is exhausted has a band of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from singletable_apps.counting.pictures.colours import BANDS
from singletable_apps.counting.pictures.labels import distinct, widest
from singletable_apps.counting.pictures.markup import element, text, tip
from singletable_apps.counting.pictures.pairs import in_order
from singletable_apps.counting.pictures.picture import Canvas, Picture, drawn
from singletable_apps.counting.pictures.round_words import exhausted, round_words
from singletable_apps.counting.pictures.rounds import EMPTY, EXHAUSTED
from singletable_apps.counting.pictures.streams import Block, Stream, blocks, streams
from singletable_apps.counting.results.runoff import RunoffResult
from singletable_apps.counting.text import format_number

TITLE = "Where the votes go"
CAPTION = (
    "A column is a round; the votes of whoever is eliminated move to the next.",
    "Exhausted votes rank nobody who is still there.",
)
_ROOM = 104
_HEAD = 24
_NODE = 9
_HIGH = 240  # or more, if there are many candidates
_LEGIBLE = 12


def draw_transfers(result: RunoffResult, last: int | None = None) -> Picture:
    """Every vote of every round, or of the last ones: from where it was to where it goes."""
    if not result.rounds:
        return drawn(TITLE, (EMPTY,), Canvas(0, 0, ()), EMPTY)
    if last is not None:
        result = replace(result, rounds=result.rounds[-last:])
    first = result.rounds[0]
    names = tuple(name for name in in_order(result) if name in first.tally)
    scale = Fraction(max(_HIGH, 12 * len(names))) / Fraction(first.continuing + exhausted(first))
    labels: dict[str | None, str] = {None: EXHAUSTED}
    labels.update(distinct(names, _ROOM))
    shown = (format_number(votes) for each in result.rounds for votes in each.tally.values())
    figure = widest([*shown, format_number(exhausted(result.rounds[-1]))], 11)
    left = widest(labels.values()) + 10 if len(result.rounds) > 1 else 0
    apart = max(2 * figure + 34, 84.0 if len(result.rounds) < 6 else 64.0)
    colours = {name: f"band-{at % len(BANDS)}" for at, name in enumerate(names)}
    drawing = _Drawing(labels, colours, left, apart, first.number)
    columns = [blocks(each, names, scale) for each in result.rounds]
    marks: list[str] = []
    for at, each in enumerate(result.rounds[:-1]):
        flows = streams(each, columns[at], columns[at + 1], scale)
        marks.extend(drawing.stream(each.number, flow) for flow in flows)
    for at, each in enumerate(result.rounds):
        marks.append(drawing.head(each.number))
        ends = at == len(result.rounds) - 1
        for block in columns[at]:
            marks.extend(drawing.block(each.number, block, first=at == 0, last=ends))
    right = left + (len(columns) - 1) * apart + _NODE + figure + widest(labels.values()) + 18
    high = max(block.top + max(block.high, 15) for column in columns for block in column)
    return drawn(TITLE, CAPTION, Canvas(right, high + _HEAD, tuple(marks)), round_words(result))


class _Drawing:
    """Labels, colours and measures of one picture."""

    def __init__(
        self,
        labels: dict[str | None, str],
        colours: dict[str, str],
        left: float,
        apart: float,
        first: int,
    ) -> None:
        self._labels = labels
        self._colours = colours
        self._left = left
        self._apart = apart
        self._first = first

    def _x(self, round_: int) -> float:
        return self._left + (round_ - self._first) * self._apart

    def _colour(self, name: str | None) -> str:
        return "band-out" if name is None else self._colours[name]

    def head(self, round_: int) -> str:
        """The number of a round, above its column."""
        said = f"Round {round_}" if self._apart > 60 else str(round_)
        return element("text", said, class_="small quiet", x=self._x(round_), y=10)

    def stream(self, round_: int, flow: Stream) -> str:
        """A band from column to column, of the colour of whoever the votes leave."""
        x, end = self._x(round_) + _NODE, self._x(round_ + 1)
        y, to = flow.start + _HEAD, flow.end + _HEAD
        bend = (x + end) / 2
        high = max(flow.high, 1)
        edge = (
            f"M{x:.1f} {y:.1f}C{bend:.1f} {y:.1f} {bend:.1f} {to:.1f} {end:.1f} {to:.1f}"
            f"v{high:.1f}C{bend:.1f} {to + high:.1f} {bend:.1f} {y + high:.1f} {x:.1f} "
            f"{y + high:.1f}z"
        )
        kind = "moves" if flow.moves else "stays"
        way = f"{self._who(flow.source)} to {self._who(flow.target)}"
        said = f"Round {round_}: {way} {format_number(flow.votes)}"
        band = element("path", tip(said), class_=f"{kind} {self._colour(flow.source)}", d=edge)
        if not flow.moves or flow.high < _LEGIBLE:
            return band
        return band + element(
            "text",
            text(f"+{format_number(flow.votes)}"),
            class_="small",
            x=end - 4,
            y=to + flow.high / 2 + 4,
            text_anchor="end",
        )

    def _who(self, name: str | None) -> str:
        return EXHAUSTED if name is None else name

    def block(self, round_: int, block: Block, *, first: bool, last: bool) -> Iterator[str]:
        """The votes of one candidate in one round, with their number; names at both ends."""
        x, y = self._x(round_), block.top + _HEAD
        middle = y + max(block.high / 2, 5) + 4
        yield element(
            "rect",
            tip(f"Round {round_}: {self._who(block.name)} {format_number(block.votes)}"),
            class_=self._colour(block.name),
            x=x,
            y=y,
            width=_NODE,
            height=max(block.high, 1),
        )
        figure = format_number(block.votes)
        if first and not last:
            label = tip(self._who(block.name)) + text(self._labels[block.name])
            yield element("text", label, x=x - 7, y=middle, text_anchor="end")
        if last:
            label = element("tspan", text(figure), class_="strong")
            label += text(f" {self._labels[block.name]}")
            yield element("text", tip(self._who(block.name)), label, x=x + _NODE + 6, y=middle)
        else:
            yield element("text", text(figure), class_="small halo", x=x + _NODE + 5, y=middle)
