"""How a poll stands: how often each order was voted for, and up to which line of each lane.

An order is what a ballot ranks, by the numbers of the options: `2 0 1`. However many vote, there
are only so many orders, and they are all that any method of counting needs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from singletable_apps.counting import (
    Ballots,
    Result,
    RunoffResult,
    SchulzeResult,
    ScoreResult,
    borda,
    count_pairs,
    instant_runoff,
    plurality,
    schulze,
)
from singletable_apps.polls.entities import Line

# What an order with its count takes in a snapshot, about, beside its text; and a line in its lane.
ENTRY_BYTES, LINE_BYTES = 8, 150
# Fewer lines than this are read faster than a snapshot is written.
FEWEST_LINES = 200
# An item of DynamoDB has at most 400 kB; parts stay well below it.
PART_BYTES = 300_000


@dataclass(frozen=True, slots=True)
class Tally:
    """The sums over the first lines of each lane."""

    lines: tuple[int, ...]
    counts: Mapping[str, int]

    @property
    def votes(self) -> int:
        """How many have voted."""
        return sum(self.counts.values())


def nothing(lanes: int) -> Tally:
    """A poll that nobody has voted in."""
    return Tally((0,) * lanes, {})


def brought_forward(tally: Tally, new: Sequence[Iterable[Line]]) -> Tally:
    """The tally with the next lines of each lane. Where a number is missing, a lane ends."""
    changes = Counter[str]()
    ends: list[int] = []
    for end, lines in zip(tally.lines, new, strict=True):
        for line in lines:
            if line.number != end + 1:
                break
            end += 1
            changes[line.order] += 1
            if line.replaced is not None:
                changes[line.replaced] -= 1
        ends.append(end)
    if tuple(ends) == tally.lines:
        return tally  # there may be a hundred thousand counts, and many who look
    counts = Counter(tally.counts)
    counts.update(changes)
    return Tally(tuple(ends), {order: count for order, count in counts.items() if count})


def lane_of(vote_id: str, lanes: int) -> int:
    """The lane of a vote. It is always the same, so a change never comes before what it changes."""
    return UUID(vote_id).int % lanes


def order_of(candidates: Sequence[str], rankings: Sequence[str]) -> str:
    """What a ballot ranks, by numbers."""
    return " ".join(str(candidates.index(name)) for name in rankings)


def names_of(candidates: Sequence[str], order: str) -> list[str]:
    """What an order ranks, by name."""
    return [candidates[int(number)] for number in order.split()]


def is_worth_keeping(kept: Tally, now: Tally) -> bool:
    """Whether reading the lines since a snapshot has become dearer than writing another."""
    lines = sum(now.lines) - sum(kept.lines)
    if lines < FEWEST_LINES:
        return False
    size = sum(len(order) + ENTRY_BYTES for order in now.counts)
    return lines * LINE_BYTES >= size


def parts_of(tally: Tally) -> Iterator[dict[str, int]]:
    """The counts in pieces that fit into an item each."""
    part: dict[str, int] = {}
    size = 0
    for order, count in sorted(tally.counts.items()):
        size += len(order) + ENTRY_BYTES
        if size > PART_BYTES:
            yield part
            part, size = {}, len(order) + ENTRY_BYTES
        part[order] = count
    yield part


@dataclass(frozen=True, slots=True)
class Counts:
    """The ballots, the result by instant runoff, and others to hold it against."""

    ballots: Ballots
    runoff: RunoffResult
    plurality: ScoreResult
    borda: ScoreResult
    schulze: SchulzeResult

    @property
    def by_method(self) -> dict[str, Result]:
        """Each result under the name of its method; the first decides."""
        return {
            "instant runoff": self.runoff,
            "plurality": self.plurality,
            "borda": self.borda,
            "schulze": self.schulze,
        }


def counts_of(poll_id: str, candidates: Sequence[str], tally: Tally) -> Counts:
    """Count all votes of a tally.

    A tie for the last place is broken by the rounds before, if they can; else by an order that the
    id of the poll makes of the names. It was there before anybody voted, and anyone can check it.
    """
    rows = _rows(len(candidates), list(tally.counts))
    ballots = Ballots.from_orders(candidates, rows, list(tally.counts.values()))
    pairs = count_pairs(ballots)
    return Counts(
        ballots,
        instant_runoff(ballots, look_back=True, seed=poll_id),
        plurality(ballots, seed=poll_id),
        borda(pairs, variant="listed", seed=poll_id),
        schulze(pairs, seed=poll_id),
    )


def _rows(width: int, orders: Sequence[str]) -> NDArray[np.int16]:
    """The orders as a table of numbers, a row each: a hundred thousand in half a second."""
    rows = np.full((len(orders), width), -1, np.int16)
    ranked = np.array([order.count(" ") + 1 for order in orders], np.int16)
    there = np.arange(width, dtype=np.int16) < ranked[:, np.newaxis]
    rows[there] = np.fromstring(" ".join(orders), np.int16, sep=" ")
    return rows
