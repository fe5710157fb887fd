"""The transfers of an instant runoff or STV as a Sankey diagram, including exhausted votes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ranked_ballots.methods.stv import StvResult
from ranked_ballots.pictures.picture import Canvas, Picture, compose
from ranked_ballots.pictures.rounds import (
    EMPTY,
    EXHAUSTED,
    AnyRound,
    RoundsResult,
    describe_rounds,
    format_votes,
    has_no_votes,
)
from ranked_ballots.pictures.style import EXHAUSTED_CLASS, color_classes
from ranked_ballots.pictures.svg import (
    element,
    escape_text,
    shorten_names,
    tooltip,
    widest,
)
from ranked_ballots.result import Number

TITLE = "Where the votes go"
CAPTION = (
    "Each column is a round. After an elimination, votes move to the next choice.",
    "Exhausted votes have no choice left.",
)
STV_CAPTION = (
    "Each column is a round. Votes above the quota, and those of eliminated candidates, move to "
    "the next choice.",
    CAPTION[1],
)
_ROOM = 120
_FINAL_ROOM = 210  # names in the last column, where there is more room
_HEAD = 24
_NODE_WIDTH = 9
_MIN_HEIGHT = 240  # more if there are many candidates
_MIN_LABELED_HEIGHT = 12
_SLOT = 15  # room for a line of text, also for very few votes
_GAP = 7


@dataclass(frozen=True, slots=True)
class _Node:
    """The votes of a candidate in one round; the exhausted votes have no name."""

    name: str | None
    votes: Number
    top: float
    height: float


@dataclass(frozen=True, slots=True)
class _Flow:
    """Votes between two rounds, with the upper edge at both ends."""

    source: str | None
    target: str | None
    votes: Number
    start: float
    end: float
    height: float

    @property
    def moves(self) -> bool:
        """Return whether the votes change from one candidate to another."""
        return self.source != self.target


def draw_transfers(result: RoundsResult, last: int | None = None) -> Picture:
    """Draw where every vote goes, in all rounds or in the `last` ones."""
    if has_no_votes(result):
        return compose(TITLE, (EMPTY,), Canvas(0, 0, ()), EMPTY)
    rounds: Sequence[AnyRound] = result.rounds if last is None else result.rounds[-last:]
    first = rounds[0]
    names = tuple(name for name in result.ranked_candidates if name in first.tally)
    total = first.continuing + first.exhausted_total
    scale = Fraction(max(_MIN_HEIGHT, 12 * len(names))) / Fraction(total)
    labels: dict[str | None, str] = {None: EXHAUSTED}
    labels.update(shorten_names(names, _FINAL_ROOM if isinstance(result, StvResult) else _ROOM))
    final_names = [name for name in names if name in rounds[-1].tally]
    final_labels: dict[str | None, str] = {None: EXHAUSTED}
    final_labels.update(shorten_names(final_names, _FINAL_ROOM))
    numbers = [
        format_votes(round_, votes)
        for round_ in rounds
        for votes in (*round_.tally.values(), round_.exhausted_total)
    ]
    number_width = widest(numbers, 11)
    left = widest(labels.values()) + 10 if len(rounds) > 1 else 0
    distance = max(2 * number_width + 34, 84.0 if len(rounds) < 6 else 64.0)
    drawing = _Drawing(labels, final_labels, color_classes(result), left, distance, first.number)
    columns = [_layout_nodes(round_, names, scale) for round_ in rounds]
    shapes: list[str] = []
    for at, round_ in enumerate(rounds[:-1]):
        flows = _layout_flows(round_, columns[at], columns[at + 1], scale)
        shapes.extend(drawing.draw_flow(round_, flow) for flow in flows)
    for at, round_ in enumerate(rounds):
        shapes.append(drawing.draw_heading(round_.number))
        is_last = at == len(rounds) - 1
        for node in columns[at]:
            shapes.extend(drawing.draw_node(round_, node, is_first=at == 0, is_last=is_last))
    right = left + (len(columns) - 1) * distance + _NODE_WIDTH
    right += number_width + widest(final_labels.values()) + 18
    bottom = max(node.top + max(node.height, _SLOT) for column in columns for node in column)
    canvas = Canvas(right, bottom + _HEAD, tuple(shapes))
    caption = STV_CAPTION if isinstance(result, StvResult) else CAPTION
    return compose(TITLE, caption, canvas, describe_rounds(rounds))


def _layout_nodes(round_: AnyRound, names: tuple[str, ...], scale: Fraction) -> list[_Node]:
    """Stack the candidates in the order of the result, and the exhausted votes at the end."""
    nodes: list[_Node] = []
    top = 0.0
    votes: list[tuple[str | None, Number]] = [
        (name, round_.tally[name]) for name in names if name in round_.tally
    ]
    for name, number in [*votes, (None, round_.exhausted_total)]:
        height = float(Fraction(number) * scale)
        nodes.append(_Node(name, number, top, height))
        top += max(height, _SLOT) + _GAP
    return nodes


def _layout_flows(
    round_: AnyRound, here: list[_Node], there: list[_Node], scale: Fraction
) -> list[_Flow]:
    """Connect a round to the next; flows leave and arrive in the order of the nodes."""
    moved: dict[tuple[str | None, str | None], Number] = {
        (node.name, node.name): node.votes for node in here
    }
    for transfer in round_.transfers:
        way = transfer.source, transfer.target
        moved[way] = moved.get(way, 0) + transfer.votes
        moved[transfer.source, transfer.source] -= transfer.votes
    moved = {way: votes for way, votes in moved.items() if votes}
    leaving = {node.name: node.top for node in here}
    arriving = {node.name: node.top for node in there}
    order = [node.name for node in here]
    flows: list[_Flow] = []
    for source, target in sorted(moved, key=lambda way: (order.index(way[0]), order.index(way[1]))):
        votes = moved[source, target]
        height = float(Fraction(votes) * scale)
        flows.append(_Flow(source, target, votes, leaving[source], arriving[target], height))
        leaving[source] += height
        arriving[target] += height
    return flows


def _full_name(name: str | None) -> str:
    return EXHAUSTED if name is None else name


class _Drawing:
    """The labels, colors and measures of one picture."""

    def __init__(
        self,
        labels: dict[str | None, str],
        final_labels: dict[str | None, str],
        colors: dict[str, str],
        left: float,
        distance: float,
        first_round: int,
    ) -> None:
        self._labels = labels
        self._final_labels = final_labels
        self._colors = colors
        self._left = left
        self._distance = distance
        self._first_round = first_round

    def _x(self, round_: int) -> float:
        return self._left + (round_ - self._first_round) * self._distance

    def _color(self, name: str | None) -> str:
        return EXHAUSTED_CLASS if name is None else self._colors[name]

    def draw_heading(self, round_: int) -> str:
        """Draw the number of a round above its column."""
        return element("text", f"Round {round_}", class_="small quiet", x=self._x(round_), y=10)

    def draw_flow(self, round_: AnyRound, flow: _Flow) -> str:
        """Draw a band to the next column, in the color of the candidate the votes leave."""
        x, end = self._x(round_.number) + _NODE_WIDTH, self._x(round_.number + 1)
        y, to = flow.start + _HEAD, flow.end + _HEAD
        bend = (x + end) / 2
        height = max(flow.height, 1)
        edge = (
            f"M{x:.1f} {y:.1f}C{bend:.1f} {y:.1f} {bend:.1f} {to:.1f} {end:.1f} {to:.1f}"
            f"v{height:.1f}C{bend:.1f} {to + height:.1f} {bend:.1f} {y + height:.1f} {x:.1f} "
            f"{y + height:.1f}z"
        )
        kind = "moves" if flow.moves else "stays"
        way = f"{_full_name(flow.source)} to {_full_name(flow.target)}"
        votes = format_votes(round_, flow.votes)
        title = tooltip(f"Round {round_.number}: {way} {votes}")
        band = element("path", title, class_=f"{kind} {self._color(flow.source)}", d=edge)
        if not flow.moves or flow.height < _MIN_LABELED_HEIGHT:
            return band
        return band + element(
            "text",
            escape_text(f"+{votes}"),
            class_="small",
            x=end - 4,
            y=to + flow.height / 2 + 4,
            text_anchor="end",
        )

    def draw_node(
        self, round_: AnyRound, node: _Node, *, is_first: bool, is_last: bool
    ) -> Iterator[str]:
        """Draw the votes of a candidate in a round; the first and last column have names."""
        x, y = self._x(round_.number), node.top + _HEAD
        middle = y + max(node.height / 2, 5) + 4
        name = _full_name(node.name)
        votes = format_votes(round_, node.votes)
        yield element(
            "rect",
            tooltip(f"Round {round_.number}: {name} {votes}"),
            class_=self._color(node.name),
            x=x,
            y=y,
            width=_NODE_WIDTH,
            height=max(node.height, 1),
        )
        if is_first and not is_last:
            label = tooltip(name) + escape_text(self._labels[node.name])
            yield element("text", label, x=x - 7, y=middle, text_anchor="end")
        if is_last:
            label = element("tspan", escape_text(votes), class_="strong")
            label += escape_text(f" {self._final_labels[node.name]}")
            yield element("text", tooltip(name), label, x=x + _NODE_WIDTH + 6, y=middle)
        else:
            yield element(
                "text", escape_text(votes), class_="small halo", x=x + _NODE_WIDTH + 5, y=middle
            )
