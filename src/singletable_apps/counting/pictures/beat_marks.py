"""What is on the picture of victories: arrows, candidates, and numbers that do not meet."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from singletable_apps.counting.paths import links
from singletable_apps.counting.pictures.circle import Arrow, Circle, arrow, drawn_arrow
from singletable_apps.counting.pictures.labels import distinct, width
from singletable_apps.counting.pictures.markup import element, text, tip
from singletable_apps.counting.pictures.pairs import place_of
from singletable_apps.counting.results.schulze import BeatPath, SchulzeResult
from singletable_apps.counting.text import format_number

Kind: TypeAlias = Literal["link", "there", "back"]
Victory: TypeAlias = tuple[int, str, str]

_ROOM = 96
_NUMBERED = 6  # with more candidates than these, only the marked paths have numbers
_SHARES = (0.4, 0.5, 0.3, 0.6, 0.45, 0.55, 0.35, 0.65, 0.25, 0.7)


@dataclass(frozen=True, slots=True)
class Scene:
    """Who stands where, every victory with the strongest first, and the two paths of the pair."""

    circle: Circle
    places: dict[str, int]
    victories: tuple[Victory, ...]
    pair: tuple[str, str] | None
    there: BeatPath | None
    back: BeatPath | None

    def steps(self, kind: Kind) -> dict[tuple[str, str], int]:
        """The victories on one of the paths, with their strengths; for "link", those on neither."""
        if kind == "link":
            marked = {**self.steps("there"), **self.steps("back")}
            # With very many, the arrows of all would be one grey disc.
            shown = self.pair if self.circle.spokes and self.pair else self.circle.names
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


def scene(result: SchulzeResult, names: tuple[str, ...], pair: tuple[str, str] | None) -> Scene:
    """All that the picture shows."""
    chosen = next(rule.choice for rule in result.rules if rule.about == "strength")
    direct = links(result.preferences, "margins" if chosen == "margins" else "winning")
    at = {name: result.candidates.index(name) for name in names}
    victories = [(direct[at[a]][at[b]], a, b) for a in names for b in names if direct[at[a]][at[b]]]
    return Scene(
        circle=Circle(names, distinct(names, _ROOM)),
        places=place_of(result),
        victories=tuple(sorted(victories, key=lambda victory: -victory[0])),
        pair=pair,
        there=result.path(*pair) if pair else None,
        back=result.path(*pair[::-1]) if pair else None,
    )


def marks(drawing: Scene) -> Iterator[str]:
    """Everything, what matters most on top."""
    kinds: tuple[Kind, ...] = ("link", "back", "there")
    ways: dict[Kind, dict[tuple[str, str], Arrow]] = {
        kind: _arrows(drawing, kind) for kind in kinds
    }
    for kind in kinds:
        steps = drawing.steps(kind)
        for (winner, loser), way in ways[kind].items():
            said = f"{winner} beats {loser} with strength {format_number(steps[winner, loser])}"
            faint = "faint" if kind == "link" and len(drawing.circle.names) > _NUMBERED else ""
            yield drawn_arrow(way, kind, 8 if kind == "link" else 12, said, faint)
    for name in drawing.circle.names:
        yield _candidate(drawing, name)
    yield from _numbers(drawing, ways)


def _arrows(drawing: Scene, kind: Kind) -> dict[tuple[str, str], Arrow]:
    """The arrows of a kind; a victory that is on both paths has two, side by side."""
    other = drawing.steps("back" if kind == "there" else "there") if kind != "link" else {}
    aside = 4 if kind == "there" else -4
    return {
        step: arrow(drawing.circle, *step, aside=aside if step in other else 0)
        for step in drawing.steps(kind)
    }


def _candidate(drawing: Scene, name: str) -> str:
    circle = drawing.circle
    x, y = circle.point(name)
    kind = "node-there" if name in (drawing.pair or ()) else "node"
    disc = element("circle", class_=kind, cx=x, cy=y, r=circle.node)
    if circle.spokes:
        return element("g", tip(name), disc, _spoke(circle, name, x, y))
    place = element(
        "text", str(drawing.places[name]), class_="strong", x=x, y=y + 4, text_anchor="middle"
    )
    return element("g", tip(name), disc, place, _label(circle, name, x, y))


def _label(circle: Circle, name: str, x: float, y: float) -> str:
    """The name outside the circle: above, below, or beside."""
    out, down = math.cos(circle.angle(name)), math.sin(circle.angle(name))
    if abs(out) < 0.2:
        side, dx, dy = "middle", 0.0, math.copysign(circle.node + 11, down) + 4
    else:
        side = "start" if out > 0 else "end"
        dx, dy = math.copysign(circle.node + 6, out), 4.0
    return element(
        "text", text(circle.labels[name]), class_="halo", x=x + dx, y=y + dy, text_anchor=side
    )


def _spoke(circle: Circle, name: str, x: float, y: float) -> str:
    """The name in the direction of the spoke, never upside down."""
    degrees = math.degrees(circle.angle(name))
    turned = math.cos(circle.angle(name)) < -1e-9
    side, start, turn = ("end", -circle.node - 5, 180) if turned else ("start", circle.node + 5, 0)
    transform = f"translate({x:.1f} {y:.1f}) rotate({degrees + turn:.1f})"
    return element(
        "text", text(circle.labels[name]), transform=transform, x=start, y=4, text_anchor=side
    )


def _numbers(drawing: Scene, ways: dict[Kind, dict[tuple[str, str], Arrow]]) -> Iterator[str]:
    """The strength on each arrow that has room for it; the paths choose their places first."""
    circle = drawing.circle
    taken = [(*circle.point(name), circle.node) for name in circle.names]
    few = len(circle.names) <= _NUMBERED
    for kind in ("there", "back", "link") if few else ("there", "back"):
        steps = drawing.steps(kind)
        weakest = min(steps.values(), default=0)
        for step, way in ways[kind].items():
            marked = kind != "link" and steps[step] == weakest
            said = format_number(steps[step])
            if marked and len(steps) > 1:
                said += " weakest"
            yield _pill(circle, way, said, kind, marked=marked, taken=taken)


def _pill(
    circle: Circle,
    way: Arrow,
    said: str,
    kind: Kind,
    *,
    marked: bool,
    taken: list[tuple[float, float, float]],
) -> str:
    """A number on its arrow, where it covers no other; beside it, if the arrow is short."""
    half = width(said, 11) / 2 + 6
    spots = [way.at(share) for share in _SHARES]
    if math.dist(way.start, way.end) < 3 * half:
        spots = [circle.inwards(spot, 24) for spot in spots]
    free = (spot for spot in spots if not any(_meet(spot, half, other) for other in taken))
    x, y = next(free, spots[0])
    taken.append((x, y, half))
    shape = f"pill weakest-{kind}" if marked else f"pill pill-{kind}"
    return element(
        "rect", class_=shape, x=x - half, y=y - 9, width=2 * half, height=18, rx=9
    ) + element(
        "text",
        text(said),
        class_="small on-path" if marked else "small",
        x=x,
        y=y + 4,
        text_anchor="middle",
    )


def _meet(spot: tuple[float, float], half: float, other: tuple[float, float, float]) -> bool:
    x, y, wide = other
    return abs(spot[1] - y) < 20 and abs(spot[0] - x) < half + wide + 2
