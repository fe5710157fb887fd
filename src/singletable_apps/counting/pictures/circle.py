"""Candidates on a circle, and the arrows between them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from singletable_apps.counting.pictures.labels import widest
from singletable_apps.counting.pictures.markup import element, tip

NODE = 15


@dataclass(frozen=True)
class Circle:
    """Where everybody stands. With many, names point outwards like the spokes of a wheel."""

    names: tuple[str, ...]
    labels: dict[str, str]

    @property
    def spokes(self) -> bool:
        """Whether there are too many for names that lie level."""
        return len(self.names) > 12

    @property
    def node(self) -> float:
        """How large a candidate is drawn."""
        return 5 if self.spokes else NODE

    @property
    def radius(self) -> float:
        """Far enough for names not to meet."""
        if self.spokes:
            return max(170.0, 17 * len(self.names) / math.tau)
        return min(40.0 + 17 * len(self.names), 200)

    @cached_property
    def margin(self) -> tuple[float, float]:
        """The room that names need beside the circle, and above it."""
        named = widest(self.labels.values()) + self.node + 10
        return (named, named) if self.spokes else (named, NODE + 24)

    @property
    def size(self) -> tuple[float, float]:
        """How wide and how high it is with its names."""
        beside, above = self.margin
        lowest = max(self.point(name)[1] for name in self.names)
        return 2 * (self.radius + beside), lowest + above

    def angle(self, name: str) -> float:
        """The direction in which a candidate stands; the first is on top, and then clockwise."""
        return math.tau * self._at[name] / len(self.names) - math.tau / 4

    @cached_property
    def _at(self) -> dict[str, int]:
        return {name: at for at, name in enumerate(self.names)}

    def inwards(self, spot: tuple[float, float], far: float) -> tuple[float, float]:
        """The point so far from a spot towards the middle."""
        beside, above = self.margin
        middle = beside + self.radius, above + self.radius
        x, y = spot[0] - middle[0], spot[1] - middle[1]
        shrunk = max(0, 1 - far / max(math.hypot(x, y), 1))
        return middle[0] + x * shrunk, middle[1] + y * shrunk

    def point(self, name: str) -> tuple[float, float]:
        """Where a candidate stands."""
        beside, above = self.margin
        angle = self.angle(name)
        radius = self.radius
        return (
            beside + radius + radius * math.cos(angle),
            above + radius + radius * math.sin(angle),
        )


@dataclass(frozen=True, slots=True)
class Arrow:
    """From one candidate to another: straight, and a little aside if two go the same way."""

    start: tuple[float, float]
    end: tuple[float, float]

    def at(self, share: float) -> tuple[float, float]:
        """A point on it, so far from its start."""
        (x, y), (u, v) = self.start, self.end
        return x + (u - x) * share, y + (v - y) * share


def arrow(circle: Circle, winner: str, loser: str, aside: float = 0) -> Arrow:
    """The arrow between two candidates, from rim to rim."""
    (x, y), (u, v) = circle.point(winner), circle.point(loser)
    long = math.hypot(u - x, v - y)
    along, across = ((u - x) / long, (v - y) / long), (-(v - y) / long, (u - x) / long)
    gap = circle.node + 2
    start = (x + along[0] * gap + across[0] * aside, y + along[1] * gap + across[1] * aside)
    end = (u - along[0] * gap + across[0] * aside, v - along[1] * gap + across[1] * aside)
    return Arrow(start, end)


def drawn_arrow(way: Arrow, kind: str, head: float, said: str, more: str = "") -> str:
    """The arrow, with its head at the one who is beaten."""
    (x, y), (u, v) = way.start, way.end
    long = math.hypot(u - x, v - y)
    along = ((u - x) / long, (v - y) / long)
    neck = (u - along[0] * head, v - along[1] * head)
    half = head * 0.45
    corners = (
        (u, v),
        (neck[0] - along[1] * half, neck[1] + along[0] * half),
        (neck[0] + along[1] * half, neck[1] - along[0] * half),
    )
    outline = "L".join(f"{a:.1f} {b:.1f}" for a, b in corners)
    tips = {"link": "tip", "there": "tip-there", "back": "tip-back"}
    return element(
        "g",
        tip(said),
        element("path", class_=kind, d=f"M{x:.1f} {y:.1f}L{neck[0]:.1f} {neck[1]:.1f}"),
        element("path", class_=tips[kind], d=f"M{outline}z"),
        class_=f"arrow {more}".strip(),
    )
