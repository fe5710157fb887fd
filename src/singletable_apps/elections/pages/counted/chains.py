"""Strongest chains of victories, spelled out, with the weakest link of each marked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise

from singletable_apps.counting import BeatPath, SchulzeResult
from singletable_apps.shared.counted import in_order

# Up to so many candidates every pair is in the table; of more, the pairs that decide.
EVERY_PAIR = 6
MOST = 30


@dataclass(frozen=True, slots=True)
class Link:
    """One victory of a chain: over whom, by how much, and whether it makes the chain so weak."""

    strength: int
    to: str
    is_weakest: bool


@dataclass(frozen=True, slots=True)
class Chain:
    """From whom it leads, by which victories, and how strong that makes it."""

    start: str
    links: tuple[Link, ...]
    strength: int


@dataclass(frozen=True, slots=True)
class Duel:
    """Two candidates, and the chain each has to the other; None if there is none."""

    a: str
    b: str
    there: Chain | None
    back: Chain | None

    @property
    def higher(self) -> str | None:
        """Who has the stronger chain; None if they are level."""
        there = self.there.strength if self.there else 0
        back = self.back.strength if self.back else 0
        return None if there == back else self.a if there > back else self.b


def duels(result: SchulzeResult) -> list[Duel]:
    """The pairs of the table, in the order of the result."""
    paths = {(path.names[0], path.names[-1]): path for path in result.paths}
    return [
        Duel(a, b, _chain(paths.get((a, b))), _chain(paths.get((b, a))))
        for a, b in _pairs(in_order(result))
    ]


def _pairs(names: list[str]) -> Iterator[tuple[str, str]]:
    if len(names) <= EVERY_PAIR:
        yield from combinations(names, 2)
        return
    shown = names[:MOST]
    yield from ((shown[0], other) for other in shown[1:])
    yield from pairwise(shown[1:])


def _chain(path: BeatPath | None) -> Chain | None:
    if path is None:
        return None
    links = zip(path.links, path.names[1:], strict=True)
    several = len(path.links) > 1
    steps = tuple(
        Link(strength, to, several and strength == path.strength) for strength, to in links
    )
    return Chain(path.names[0], steps, path.strength)
