"""Victories as arrows between candidates on a circle, with the strongest paths of a pair marked.

If names are too long to stand beside the circle, candidates have numbers and a legend lists the
full names.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

from ranked_ballots.errors import RankingError
from ranked_ballots.methods.schulze import BeatPath, SchulzeResult, victory_strengths
from ranked_ballots.pictures.picture import Canvas, Picture, compose
from ranked_ballots.pictures.svg import (
    element,
    escape_text,
    shorten,
    text_width,
    tooltip,
    widest,
    wrap_text,
)
from ranked_ballots.text import format_number

TITLE = "Who beats whom"
_ALL_DRAWN = "An arrow points from the winner of a pair to the loser."
_SOME_DRAWN = f"{_ALL_DRAWN} Of all arrows, only those of the chosen two and their paths are drawn."

Kind: TypeAlias = Literal["link", "there", "back"]
Victory: TypeAlias = tuple[int, str, str]
Point: TypeAlias = tuple[float, float]
Step: TypeAlias = tuple[str, str]

_ROOM = 96
_MAX_LEVEL_LABELS = 12  # with more candidates, labels are rotated like spokes
_MAX_NUMBERED_LINKS = 6  # with more candidates, only the marked paths have numbers
_POSITIONS = (0.4, 0.5, 0.3, 0.6, 0.45, 0.55, 0.35, 0.65, 0.25, 0.7)
_LEGEND_COLUMN = 220
_LEGEND_LINE = 17


def draw_beat_paths(
    result: SchulzeResult, pair: tuple[str, str] | None = None, *, most: int | None = None
) -> Picture:
    """Draw all victories and mark the strongest paths between a pair.

    The default pair is the first two candidates of the result. A path is as strong as its weakest
    victory, which is marked. With `most`, only that many candidates are drawn: those on the paths,
    and the best of the others.
    """
    names = result.ranked_candidates
    if pair is None and len(names) > 1:
        pair = names[0], names[1]
    _check_pair(result, pair)
    drawing = _make_drawing(result, names, pair)
    if most is not None and most < len(names):
        needed = {name for *_, path in _lines(drawing) if path for name in path.names}
        needed.update(pair or ())
        others = [name for name in names if name not in needed]
        kept = {*needed, *others[: max(most - len(needed), 0)]}
        drawing = _make_drawing(result, tuple(name for name in names if name in kept), pair)
    drawn, all_names = len(drawing.circle.names), len(names)
    caption = [
        _SOME_DRAWN if drawing.circle.is_crowded else _ALL_DRAWN,
        *([f"Drawn are {drawn} of {all_names} candidates."] if drawn < all_names else []),
        *(_describe_line(*line) for line in _lines(drawing)),
    ]
    text = [*(_describe_path(*line) for line in _lines(drawing)), *_describe_victories(drawing)]
    width, height = drawing.circle.size
    legend, legend_height = _draw_legend(drawing.circle, height + 12, width)
    canvas = Canvas(width, height + legend_height, (*_draw_shapes(drawing), *legend))
    return compose(TITLE, tuple(caption), canvas, "\n".join(text))


def _check_pair(result: SchulzeResult, pair: tuple[str, str] | None) -> None:
    for name in pair or ():
        if name not in result.candidates:
            raise RankingError(f"'{name}' is not a candidate of this count.", name)
    if pair and pair[0] == pair[1]:
        raise RankingError(f"Choose two different candidates, not '{pair[0]}' twice.", pair[0])


@dataclass(frozen=True)
class _Circle:
    """The positions of the candidates. With many, labels point outwards like spokes."""

    names: tuple[str, ...]

    @cached_property
    def labels(self) -> dict[str, str]:
        """Return the labels: names if all of them fit, else numbers that a legend explains."""
        if any(shorten(name, _ROOM) != name for name in self.names):
            return {name: str(number) for number, name in enumerate(self.names, start=1)}
        return {name: name for name in self.names}

    @property
    def has_legend(self) -> bool:
        """Return whether labels are numbers."""
        return any(label != name for name, label in self.labels.items())

    @property
    def is_crowded(self) -> bool:
        """Return whether there are too many candidates for all arrows."""
        return len(self.names) > _MAX_LEVEL_LABELS

    @property
    def has_spokes(self) -> bool:
        """Return whether labels are rotated."""
        return self.is_crowded and not self.has_legend

    @property
    def node_radius(self) -> float:
        """Return the radius of a candidate's disc."""
        if self.has_spokes:
            return 5
        return 11 if self.is_crowded else 15

    @property
    def radius(self) -> float:
        """Return the radius of the circle, large enough to keep candidates apart."""
        if self.is_crowded:
            spacing = 17 if self.has_spokes else 28
            return max(170.0, spacing * len(self.names) / math.tau)
        return min(40.0 + 17 * len(self.names), 200)

    @cached_property
    def margin(self) -> Point:
        """Return the room for labels beside and above the circle."""
        if self.has_legend:
            return self.node_radius + 10, self.node_radius + 10
        label = widest(self.labels.values()) + self.node_radius + 10
        return (label, label) if self.has_spokes else (label, self.node_radius + 24)

    @property
    def size(self) -> Point:
        """Return the width and height including labels."""
        beside, above = self.margin
        lowest = max(self.point(name)[1] for name in self.names)
        return 2 * (self.radius + beside), lowest + above

    def angle(self, name: str) -> float:
        """Return the direction of a candidate; the first is on top, then clockwise."""
        return math.tau * self._index[name] / len(self.names) - math.tau / 4

    @cached_property
    def _index(self) -> dict[str, int]:
        return {name: at for at, name in enumerate(self.names)}

    def move_inwards(self, spot: Point, distance: float) -> Point:
        """Return the point at this distance from a spot toward the center."""
        beside, above = self.margin
        center = beside + self.radius, above + self.radius
        x, y = spot[0] - center[0], spot[1] - center[1]
        share = max(0, 1 - distance / max(math.hypot(x, y), 1))
        return center[0] + x * share, center[1] + y * share

    def point(self, name: str) -> Point:
        """Return the position of a candidate."""
        beside, above = self.margin
        angle = self.angle(name)
        return (
            beside + self.radius * (1 + math.cos(angle)),
            above + self.radius * (1 + math.sin(angle)),
        )


@dataclass(frozen=True, slots=True)
class _Arrow:
    """A straight arrow from one candidate to another."""

    start: Point
    end: Point

    def at(self, share: float) -> Point:
        """Return the point at this share of the way."""
        (x, y), (u, v) = self.start, self.end
        return x + (u - x) * share, y + (v - y) * share


@dataclass(frozen=True, slots=True)
class _BeatDrawing:
    """The circle, every victory with the strongest first, and the two paths of the pair."""

    circle: _Circle
    places: dict[str, int]
    victories: tuple[Victory, ...]
    pair: tuple[str, str] | None
    there: BeatPath | None
    back: BeatPath | None

    def steps(self, kind: Kind) -> dict[Step, int]:
        """Return the victories on a path with their strengths; for "link", those on neither."""
        if kind == "link":
            marked = {**self.steps("there"), **self.steps("back")}
            # With many candidates, all arrows together would be one gray disc.
            shown = self.pair if self.circle.is_crowded and self.pair else self.circle.names
            return {
                (a, b): strength
                for strength, a, b in self.victories
                if (a, b) not in marked and (a in shown or b in shown)
            }
        path = self.there if kind == "there" else self.back
        if path is None:
            return {}
        pairs = zip(path.names, path.names[1:], strict=False)
        return dict(zip(pairs, path.links, strict=True))


def _make_drawing(
    result: SchulzeResult, names: tuple[str, ...], pair: tuple[str, str] | None
) -> _BeatDrawing:
    choice = next(rule.choice for rule in result.rules if rule.about == "strength")
    links = victory_strengths(result.preferences, "margins" if choice == "margins" else "winning")
    at = {name: result.candidates.index(name) for name in names}
    victories = [(links[at[a]][at[b]], a, b) for a in names for b in names if links[at[a]][at[b]]]
    return _BeatDrawing(
        circle=_Circle(names),
        places=result.place_numbers,
        victories=tuple(sorted(victories, key=lambda victory: -victory[0])),
        pair=pair,
        there=result.path(*pair) if pair else None,
        back=result.path(*pair[::-1]) if pair else None,
    )


def _draw_shapes(drawing: _BeatDrawing) -> Iterator[str]:
    """Draw everything, the most important on top."""
    kinds: tuple[Kind, ...] = ("link", "back", "there")
    arrows: dict[Kind, dict[Step, _Arrow]] = {kind: _arrows(drawing, kind) for kind in kinds}
    is_faint = len(drawing.circle.names) > _MAX_NUMBERED_LINKS
    for kind in kinds:
        steps = drawing.steps(kind)
        for (winner, loser), arrow in arrows[kind].items():
            strength = format_number(steps[winner, loser])
            title = f"{winner} beats {loser} with strength {strength}"
            yield _draw_arrow(arrow, kind, title, is_faint=kind == "link" and is_faint)
    for name in drawing.circle.names:
        yield _draw_candidate(drawing, name)
    yield from _draw_numbers(drawing, arrows)


def _arrows(drawing: _BeatDrawing, kind: Kind) -> dict[Step, _Arrow]:
    """Return the arrows of a kind; a victory that is on both paths has two, side by side."""
    other = drawing.steps("back" if kind == "there" else "there") if kind != "link" else {}
    offset = 4 if kind == "there" else -4
    return {
        step: _make_arrow(drawing.circle, *step, offset=offset if step in other else 0)
        for step in drawing.steps(kind)
    }


def _make_arrow(circle: _Circle, winner: str, loser: str, offset: float = 0) -> _Arrow:
    """Return the arrow from rim to rim, moved aside by the offset."""
    (x, y), (u, v) = circle.point(winner), circle.point(loser)
    length = math.hypot(u - x, v - y)
    along = (u - x) / length, (v - y) / length
    across = -along[1] * offset, along[0] * offset
    gap = circle.node_radius + 2
    return _Arrow(
        (x + along[0] * gap + across[0], y + along[1] * gap + across[1]),
        (u - along[0] * gap + across[0], v - along[1] * gap + across[1]),
    )


def _draw_arrow(arrow: _Arrow, kind: Kind, title: str, *, is_faint: bool) -> str:
    (x, y), (u, v) = arrow.start, arrow.end
    head = 8 if kind == "link" else 12
    length = math.hypot(u - x, v - y)
    along = ((u - x) / length, (v - y) / length)
    neck = (u - along[0] * head, v - along[1] * head)
    half = head * 0.45
    corners = (
        (u, v),
        (neck[0] - along[1] * half, neck[1] + along[0] * half),
        (neck[0] + along[1] * half, neck[1] - along[0] * half),
    )
    outline = "L".join(f"{a:.1f} {b:.1f}" for a, b in corners)
    tips: dict[Kind, str] = {"link": "tip", "there": "tip-there", "back": "tip-back"}
    return element(
        "g",
        tooltip(title),
        element("path", class_=kind, d=f"M{x:.1f} {y:.1f}L{neck[0]:.1f} {neck[1]:.1f}"),
        element("path", class_=tips[kind], d=f"M{outline}z"),
        class_="arrow faint" if is_faint else "arrow",
    )


def _draw_candidate(drawing: _BeatDrawing, name: str) -> str:
    circle = drawing.circle
    x, y = circle.point(name)
    kind = "node-there" if name in (drawing.pair or ()) else "node"
    disc = element("circle", class_=kind, cx=x, cy=y, r=circle.node_radius)
    if circle.has_spokes:
        return element("g", tooltip(name), disc, _draw_rotated_label(circle, name, x, y))
    number = circle.labels[name] if circle.has_legend else str(drawing.places[name])
    inside = element("text", number, class_="strong", x=x, y=y + 4, text_anchor="middle")
    label = "" if circle.has_legend else _draw_label(circle, name, x, y)
    return element("g", tooltip(name), disc, inside, label)


def _draw_label(circle: _Circle, name: str, x: float, y: float) -> str:
    """Draw the name outside the circle: above, below or beside."""
    out, down = math.cos(circle.angle(name)), math.sin(circle.angle(name))
    if abs(out) < 0.2:
        anchor, dx, dy = "middle", 0.0, math.copysign(circle.node_radius + 11, down) + 4
    else:
        anchor = "start" if out > 0 else "end"
        dx, dy = math.copysign(circle.node_radius + 6, out), 4.0
    label = escape_text(circle.labels[name])
    return element("text", label, class_="halo", x=x + dx, y=y + dy, text_anchor=anchor)


def _draw_rotated_label(circle: _Circle, name: str, x: float, y: float) -> str:
    """Draw the name in the direction of the spoke, never upside down."""
    degrees = math.degrees(circle.angle(name))
    start = circle.node_radius + 5
    anchor, turn = "start", 0
    if math.cos(circle.angle(name)) < -1e-9:
        anchor, start, turn = "end", -start, 180
    transform = f"translate({x:.1f} {y:.1f}) rotate({degrees + turn:.1f})"
    label = escape_text(circle.labels[name])
    return element("text", label, transform=transform, x=start, y=4, text_anchor=anchor)


def _draw_legend(circle: _Circle, top: float, width: float) -> tuple[list[str], float]:
    """List numbers with full names in columns; return the shapes and their height."""
    if not circle.has_legend:
        return [], 0
    columns = max(1, int(width // _LEGEND_COLUMN))
    column_width = width / columns
    indent = widest(circle.labels.values()) + 8
    per_column = -(-len(circle.names) // columns)
    shapes: list[str] = []
    lowest = top
    for column in range(columns):
        x, y = column * column_width, top
        for name in circle.names[column * per_column : (column + 1) * per_column]:
            number = circle.labels[name]
            shapes.append(element("text", number, class_="strong", x=x, y=y + 11))
            for line in wrap_text(name, column_width - indent - 12):
                text = escape_text(line)
                shapes.append(element("text", tooltip(name), text, x=x + indent, y=y + 11))
                y += _LEGEND_LINE
        lowest = max(lowest, y)
    return shapes, lowest - top + 12


def _draw_numbers(drawing: _BeatDrawing, arrows: dict[Kind, dict[Step, _Arrow]]) -> Iterator[str]:
    """Draw the strength on each arrow that has room; the paths choose their positions first."""
    circle = drawing.circle
    taken = [(*circle.point(name), circle.node_radius) for name in circle.names]
    kinds: tuple[Kind, ...] = ("there", "back", "link")
    for kind in kinds if len(circle.names) <= _MAX_NUMBERED_LINKS else kinds[:2]:
        steps = drawing.steps(kind)
        weakest = min(steps.values(), default=0)
        for step, arrow in arrows[kind].items():
            is_weakest = kind != "link" and steps[step] == weakest
            text = format_number(steps[step])
            if is_weakest and len(steps) > 1:
                text += " weakest"
            yield _draw_pill(circle, arrow, text, kind, is_weakest=is_weakest, taken=taken)


def _draw_pill(
    circle: _Circle,
    arrow: _Arrow,
    text: str,
    kind: Kind,
    *,
    is_weakest: bool,
    taken: list[tuple[float, float, float]],
) -> str:
    """Draw a number on its arrow where it covers no other; beside it if the arrow is short."""
    half = text_width(text, 11) / 2 + 6
    spots = [arrow.at(share) for share in _POSITIONS]
    if math.dist(arrow.start, arrow.end) < 3 * half:
        spots = [circle.move_inwards(spot, 24) for spot in spots]
    free = (spot for spot in spots if not any(_overlaps(spot, half, other) for other in taken))
    x, y = next(free, spots[0])
    taken.append((x, y, half))
    shape = f"pill weakest-{kind}" if is_weakest else f"pill pill-{kind}"
    return element(
        "rect", class_=shape, x=x - half, y=y - 9, width=2 * half, height=18, rx=9
    ) + element(
        "text",
        escape_text(text),
        class_="small on-path" if is_weakest else "small",
        x=x,
        y=y + 4,
        text_anchor="middle",
    )


def _overlaps(spot: Point, half: float, other: tuple[float, float, float]) -> bool:
    x, y, other_half = other
    return abs(spot[1] - y) < 20 and abs(spot[0] - x) < half + other_half + 2


def _lines(drawing: _BeatDrawing) -> Iterator[tuple[str, str, str, BeatPath | None]]:
    """Yield how each path is drawn, its ends, and the path."""
    if drawing.pair is not None:
        a, b = drawing.pair
        yield "Solid", a, b, drawing.there
        yield "Dashed", b, a, drawing.back


def _describe_line(line: str, source: str, target: str, path: BeatPath | None) -> str:
    if path is None:
        return f"{line}: there is no chain from {source} to {target}."
    return f"{line}: strength {format_number(path.strength)} from {source} to {target}."


def _describe_path(line: str, source: str, target: str, path: BeatPath | None) -> str:
    if path is None:
        return f"{line}: there is no chain from {source} to {target}."
    steps = " > ".join(
        f"{name} {format_number(link)}" for name, link in zip(path.names, path.links, strict=False)
    )
    return (
        f"{line}: the strongest path from {source} to {target} is {steps} > {target}. Its weakest "
        f"victory gives it the strength {format_number(path.strength)}."
    )


def _describe_victories(drawing: _BeatDrawing) -> Iterator[str]:
    """Describe every victory, strongest first."""
    if not drawing.victories:
        yield "No candidate beats another."
    for strength, winner, loser in drawing.victories:
        yield f"{winner} beats {loser} with strength {format_number(strength)}."
