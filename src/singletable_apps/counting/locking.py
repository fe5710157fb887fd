"""A graph that victories are locked into as long as they close no circle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

Edge: TypeAlias = tuple[int, int]
# An edge, the circle that it would have closed (empty if it was locked), and whether other edges of
# the same strength had a part in that.
Judgement: TypeAlias = tuple[Edge, list[int], bool]


class Graph:
    """Who is locked above whom."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.below: list[list[int]] = [[] for _ in range(size)]

    def add(self, edge: Edge) -> None:
        """Lock one above the other."""
        self.below[edge[0]].append(edge[1])

    def way(self, source: int, target: int, more: Sequence[Edge] = ()) -> list[int]:
        """A shortest way down, both ends included; empty if there is none.

        `more` are edges that may be used as if they were locked.
        """
        whence = {source: source}
        waiting = [source]
        for here in waiting:
            if here == target:
                break
            for there in [*self.below[here], *(b for a, b in more if a == here)]:
                if there not in whence:
                    whence[there] = here
                    waiting.append(there)
        if target not in whence:
            return []
        way = [target]
        while way[-1] != source:
            way.append(whence[way[-1]])
        return way[::-1]

    def circle(self, edge: Edge, more: Sequence[Edge] = ()) -> list[int]:
        """The circle that an edge closes, from its upper end to itself; empty if it closes none."""
        way = self.way(edge[1], edge[0], more)
        return [edge[0], *way] if way else []


def lock_in_turn(graph: Graph, equal: Sequence[Edge]) -> Iterator[Judgement]:
    """Lock edges of one strength one after the other, leaving out each that closes a circle."""
    free = [edge for edge in equal if not graph.circle(edge)]
    disputed = {edge for edge in free if graph.circle(edge, free)}
    for edge in equal:
        circle = graph.circle(edge)
        if not circle:
            graph.add(edge)
        yield edge, circle, edge in disputed


def lock_together(graph: Graph, equal: Sequence[Edge]) -> Iterator[Judgement]:
    """Lock those edges of one strength that close no circle, not even with each other."""
    free = [edge for edge in equal if not graph.circle(edge)]
    judged = [(edge, graph.circle(edge) or graph.circle(edge, free)) for edge in equal]
    for edge, circle in judged:
        if not circle:
            graph.add(edge)
        yield edge, circle, edge in free and bool(circle)


def layers(graph: Graph) -> list[list[int]]:
    """Those below nobody, then those below nobody who is left, until nobody is left."""
    left = set(range(graph.size))
    found: list[list[int]] = []
    while left:
        beaten = {below for above in left for below in graph.below[above]}
        layer = sorted(left - beaten)
        found.append(layer)
        left -= set(layer)
    return found
