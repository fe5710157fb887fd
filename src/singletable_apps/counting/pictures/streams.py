"""Where votes are in each round, and how they move to the next: a layout without a drawing."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from singletable_apps.counting.pictures.round_words import exhausted
from singletable_apps.counting.result import Number
from singletable_apps.counting.results.runoff import Round

_SLOT = 15  # room for a line of text, however few votes there are
_GAP = 7


@dataclass(frozen=True, slots=True)
class Block:
    """The votes of one candidate in one round, or (without a name) those that are exhausted."""

    name: str | None
    votes: Number
    top: float
    high: float


@dataclass(frozen=True, slots=True)
class Stream:
    """Votes on their way to the next round, with the upper edge at either end."""

    source: str | None
    target: str | None
    votes: Number
    start: float
    end: float
    high: float

    @property
    def moves(self) -> bool:
        """Whether they change hands."""
        return self.source != self.target


def blocks(round_: Round, names: tuple[str, ...], scale: Fraction) -> list[Block]:
    """One below the other: candidates in the order of the result, and the exhausted at the end."""
    found: list[Block] = []
    top = 0.0
    votes: list[tuple[str | None, Number]] = [
        (name, round_.tally[name]) for name in names if name in round_.tally
    ]
    for name, number in [*votes, (None, exhausted(round_))]:
        high = float(Fraction(number) * scale)
        found.append(Block(name, number, top, high))
        top += max(high, _SLOT) + _GAP
    return found


def streams(round_: Round, here: list[Block], there: list[Block], scale: Fraction) -> list[Stream]:
    """From a round to the next. At each block they leave and arrive in the order of the blocks."""
    moved: dict[tuple[str | None, str | None], Number] = {}
    for block in here:
        if block.votes and block.name != round_.eliminated:
            moved[block.name, block.name] = block.votes
    for transfer in round_.transfers:
        way = transfer.source, transfer.target
        moved[way] = moved.get(way, 0) + transfer.votes
    leaving = {block.name: block.top for block in here}
    arriving = {block.name: block.top for block in there}
    order = [block.name for block in here]
    found: list[Stream] = []
    for source, target in sorted(moved, key=lambda way: (order.index(way[0]), order.index(way[1]))):
        votes = moved[source, target]
        high = float(Fraction(votes) * scale)
        found.append(Stream(source, target, votes, leaving[source], arriving[target], high))
        leaving[source] += high
        arriving[target] += high
    return found
