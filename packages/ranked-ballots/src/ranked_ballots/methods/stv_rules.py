"""The rules by which votes move in a count with several seats: Scottish STV and Meek's method.

Votes are integers, in units of a hundred-thousandth (Scottish) or a billionth (Meek), so that every
rounding is the one that the rules prescribe. A state is never changed: `elect` and `advance` return
the next one, so that several ways to break a tie can be tried.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ranked_ballots.ballots import BLOCK, MAX_INT64, Ballots, Counts, to_ints
from ranked_ballots.methods.first_choices import EQUAL_RANKS, NO_CHOICES, prepare_ranks
from ranked_ballots.result import Rule
from ranked_ballots.rules import EqualRanks

Step: TypeAlias = Literal["surplus", "elimination"]
Numbers: TypeAlias = NDArray[np.int64]
Rows: TypeAlias = NDArray[np.intp]

# Votes that no candidate has, by their number after the candidates.
REASONS = (NO_CHOICES, EQUAL_RANKS, "rounded down")


@dataclass(frozen=True, slots=True, eq=False)
class Orders:
    """Valid ballots as candidate numbers, best first: `table[position, row]`.

    After the last choice comes the number of the reason why there is none. A ballot without a first
    choice is not valid and has no row.
    """

    size: int
    table: NDArray[np.int16]
    counts: Counts

    @classmethod
    def from_ballots(cls, ballots: Ballots, rule: EqualRanks, unit: int) -> Orders:
        """Read the ballots; votes of `unit` per ballot must fit the type of the counts."""
        ballots = ballots.compact()
        ranks = prepare_ranks(ballots, rule)
        size = len(ballots.candidates)
        ends = np.full(ballots.rows, size, np.int16)
        if ranks.cut is not None:
            ends[ranks.cut] = size + 1
        table = np.empty((size + 1, ballots.rows), np.int16)
        for first in range(0, ballots.rows, BLOCK):
            block = slice(first, first + BLOCK)
            order = np.argsort(ranks.columns[:, block], axis=0, kind="stable")
            ranked = np.take_along_axis(ranks.columns[:, block], order, axis=0) != ballots.unranked
            table[:-1, block] = np.where(ranked, order, ends[block])
        table[-1] = ends
        valid = table[0] < size
        counts = np.ones(ballots.rows, np.int64) if ballots.counts is None else ballots.counts
        if ballots.cast * unit > MAX_INT64:
            counts = np.array(to_ints(counts), np.object_)
        return cls(size, np.ascontiguousarray(table[:, valid]), counts[valid])

    @property
    def rows(self) -> Rows:
        """Return the numbers of all rows."""
        return np.arange(self.table.shape[1], dtype=np.intp)

    @property
    def valid(self) -> int:
        """Return the number of ballots with a first choice."""
        return sum(to_ints(self.counts))

    def add_up(self, rows: Rows, holders: NDArray[np.int16], votes: Numbers) -> list[int]:
        """Return the votes that the ballots of these rows give to each of their holders."""
        sums = np.zeros(self.size + len(REASONS), self.counts.dtype)
        np.add.at(sums, holders, votes * self.counts[rows])
        return [int(each) for each in sums.tolist()]


@dataclass(frozen=True, kw_only=True, eq=False)
class CountState(ABC):
    """A moment of the count; `votes` are those of each candidate, then those lost by reason.

    `newly_elected` is who reached the quota at this moment, and `earlier` the votes before it.
    """

    name: ClassVar[str]
    unit: ClassVar[int]
    rules: ClassVar[tuple[Rule, ...]]

    orders: Orders
    seats: int
    hopeful: tuple[int, ...]
    votes: tuple[int, ...]
    quota: int
    elected: tuple[int, ...] = ()
    newly_elected: tuple[int, ...] = ()
    eliminated: tuple[int, ...] = ()
    earlier: tuple[tuple[int, ...], ...] = ()

    @classmethod
    @abstractmethod
    def start(cls, ballots: Ballots, seats: int, rule: EqualRanks) -> Self:
        """Return the count of first choices."""

    @property
    def vacancies(self) -> int:
        """Return how many seats are not filled."""
        return self.seats - len(self.elected)

    @property
    def is_over(self) -> bool:
        """Return whether nobody else can be elected."""
        return not self.vacancies or not self.hopeful

    def elect(self) -> Self:
        """Elect candidates with a quota, or all that are left if there are enough seats."""
        by_votes = sorted(self.hopeful, key=lambda each: -self.votes[each])
        reached = [each for each in by_votes if self.votes[each] >= self.quota]
        if len(self.hopeful) <= self.vacancies:
            reached = by_votes
        return replace(
            self,
            hopeful=tuple(each for each in self.hopeful if each not in reached),
            elected=(*self.elected, *reached),
            newly_elected=tuple(reached),
        )

    @abstractmethod
    def next_step(self) -> tuple[Step, tuple[int, ...]]:
        """Return the next step and its candidates, several if they are tied; () is all (Meek)."""

    def look_back(self, step: Step, tied: tuple[int, ...]) -> tuple[int, ...]:
        """Return the tied candidates that were equal in every earlier round, too."""
        return tied

    @abstractmethod
    def advance(self, step: Step, who: int | None) -> Self:
        """Return the state after this step."""

    @abstractmethod
    def moves(self, after: CountState) -> dict[tuple[int, int], int]:
        """Return the votes that moved until a later state, by source and target."""

    def _without(self, who: int | None) -> Self:
        if who is None or who not in self.hopeful:
            return self
        hopeful = tuple(each for each in self.hopeful if each != who)
        return replace(self, hopeful=hopeful, eliminated=(*self.eliminated, who))


@dataclass(frozen=True, kw_only=True, eq=False)
class ScottishState(CountState):
    """Where each row of ballots is: its position in the order, and the value of each ballot."""

    name = "Scottish STV"
    unit = 10**5
    rules = (
        Rule(
            "law",
            "Scotland 2007",
            "The count follows rules 45 to 52 of the Scottish Local Government Elections Order "
            "2007.",
        ),
        Rule(
            "quota",
            "Droop",
            "The quota is the number of valid ballots divided by one more than the seats, rounded "
            "down, plus one.",
        ),
        Rule(
            "surplus",
            "weighted inclusive Gregory",
            "The largest surplus moves first, on all ballots of its candidate. The new value of a "
            "ballot is its value times the surplus divided by the candidate's votes, truncated to "
            "five decimals.",
        ),
        Rule("elimination", "one", "Without a surplus, the candidate with the fewest votes goes."),
    )
    position: NDArray[np.int16]
    value: Numbers

    @classmethod
    def start(cls, ballots: Ballots, seats: int, rule: EqualRanks) -> Self:
        """Return the count of first choices."""
        orders = Orders.from_ballots(ballots, rule, cls.unit)
        rows = orders.rows
        value = np.full(len(rows), cls.unit, np.int64)
        return cls(
            orders=orders,
            seats=seats,
            hopeful=tuple(range(orders.size)),
            votes=tuple(orders.add_up(rows, orders.table[0], value)),
            quota=(orders.valid // (seats + 1) + 1) * cls.unit,
            position=np.zeros(len(rows), np.int16),
            value=value,
        )

    def next_step(self) -> tuple[Step, tuple[int, ...]]:
        """Return what to do next, and the candidates for it: more than one if they are tied.

        The largest surplus is transferred first. Without one, the candidate with the
        fewest votes is eliminated.
        """
        most = max((self.votes[each] for each in self.elected), default=0)
        if most > self.quota:
            return "surplus", tuple(each for each in self.elected if self.votes[each] == most)
        fewest = min(self.votes[each] for each in self.hopeful)
        return "elimination", tuple(each for each in self.hopeful if self.votes[each] == fewest)

    def look_back(self, step: Step, tied: tuple[int, ...]) -> tuple[int, ...]:
        """Return the candidates still tied after comparing their votes in earlier rounds.

        The round before is compared first, then the one before that, and so on.
        """
        pick = max if step == "surplus" else min
        for votes in reversed(self.earlier):
            best = pick(votes[each] for each in tied)
            tied = tuple(each for each in tied if votes[each] == best)
        return tied

    def advance(self, step: Step, who: int | None) -> Self:
        """Move the ballots of a surplus or of an eliminated candidate."""
        assert who is not None
        left = self._without(who)
        rows, position, value = self._rows_of(who), self.position.copy(), self.value.copy()
        if step == "surplus":
            values = self.transfer_values(who)
            old, index = np.unique(value[rows], return_inverse=True)
            value[rows] = np.array([values[each] for each in old.tolist()], np.int64)[index]
        position[rows] = left._next_positions(rows)
        gained = self.orders.add_up(rows, self.orders.table[position[rows], rows], value[rows])
        votes = [sum(each) for each in zip(self.votes, gained, strict=True)]
        votes[who] = self.quota if step == "surplus" else 0
        votes[-1] += sum(self.votes) - sum(votes)
        return replace(
            left,
            votes=tuple(votes),
            position=position,
            value=value,
            newly_elected=(),
            earlier=(*self.earlier, self.votes),
        )

    def transfer_values(self, who: int) -> dict[int, int]:
        """Return the new value of the candidate's ballots by their old value."""
        surplus, votes = self.votes[who] - self.quota, self.votes[who]
        old: list[int] = np.unique(self.value[self._rows_of(who)]).tolist()
        return {value: value * surplus // votes for value in reversed(old)}

    def moves(self, after: CountState) -> dict[tuple[int, int], int]:
        """Return the votes of the ballots that changed their position."""
        assert isinstance(after, ScottishState)
        rows = np.flatnonzero(self.position != after.position)
        if not rows.size:
            return {}
        source = int(self.orders.table[self.position[rows[0]], rows[0]])
        gained = self.orders.add_up(
            rows, self.orders.table[after.position[rows], rows], after.value[rows]
        )
        gained[-1] = after.votes[-1] - self.votes[-1]
        return {(source, target): votes for target, votes in enumerate(gained) if votes}

    def _rows_of(self, who: int) -> Rows:
        return np.flatnonzero(self.orders.table[self.position, self.orders.rows] == who)

    def _next_positions(self, rows: Rows) -> NDArray[np.int16]:
        """Return the position of the next hopeful candidate, or of the end of the ballot."""
        continues = np.ones(self.orders.size + len(REASONS), np.bool_)
        continues[: self.orders.size] = False
        continues[list(self.hopeful)] = True
        position = self.position[rows]
        while (passed := ~continues[self.orders.table[position, rows]]).any():
            position[passed] += 1
        return position


@dataclass(frozen=True, kw_only=True, eq=False)
class MeekState(CountState):
    """How much of each vote that reaches a candidate stays there: the keep factors."""

    name = "Meek STV"
    unit = 10**9
    rules = (
        Rule(
            "method",
            "Meek",
            "An elected candidate keeps a part of every vote, the keep factor, and the rest goes "
            "to the next choice. The factors are lowered until all surpluses together are below "
            "0.000001 votes.",
        ),
        Rule(
            "quota",
            "dynamic Droop",
            "The quota is all votes that count divided by one more than the seats, truncated to "
            "nine decimals, plus 0.000000001. It falls as ballots are exhausted.",
        ),
        Rule(
            "arithmetic",
            "nine decimals",
            "Kept votes and keep factors are rounded up to nine decimals, as in the reference Meek "
            "rule of the Proportional Representation Foundation.",
        ),
        Rule("elimination", "one", "Without a surplus, the candidate with the fewest votes goes."),
    )
    _omega: ClassVar[int] = 10**3
    keep: Numbers
    surplus: int = 0

    @classmethod
    def start(cls, ballots: Ballots, seats: int, rule: EqualRanks) -> Self:
        """Return the count of first choices."""
        orders = Orders.from_ballots(ballots, rule, cls.unit)
        return cls(
            orders=orders,
            seats=seats,
            hopeful=tuple(range(orders.size)),
            votes=(),
            quota=0,
            keep=np.full(orders.size + len(REASONS), cls.unit, np.int64),
        )._settle()

    def next_step(self) -> tuple[Step, tuple[int, ...]]:
        """Return everyone's surplus after an election, otherwise those with the fewest votes."""
        if self.newly_elected:
            return "surplus", ()
        fewest = min(self.votes[each] for each in self.hopeful)
        # A surplus that is left could still lift each of these above the others.
        return "elimination", tuple(
            each for each in self.hopeful if self.votes[each] <= fewest + self.surplus
        )

    def advance(self, step: Step, who: int | None) -> Self:
        """Distribute all ballots again, without the eliminated candidate."""
        keep = self.keep.copy()
        if who is not None:
            keep[who] = 0
        earlier = (*self.earlier, self.votes)
        return replace(self._without(who), keep=keep, newly_elected=(), earlier=earlier)._settle()

    def _settle(self) -> Self:
        """Lower the keep factors until a candidate reaches the quota or no surplus is left."""
        keep, last = self.keep.copy(), None
        while True:
            votes = self._distribute(keep)
            quota = sum(votes[: self.orders.size]) // (self.seats + 1) + 1
            surplus = max(0, sum(votes[each] - quota for each in self.elected))
            is_settled = surplus < self._omega or (last is not None and surplus >= last)
            has_winner = any(votes[each] >= quota for each in self.hopeful)
            if is_settled or has_winner or len(self.hopeful) <= self.vacancies:
                return replace(self, votes=tuple(votes), quota=quota, keep=keep, surplus=surplus)
            last = surplus
            for each in self.elected:
                kept = _divide_up(int(keep[each]) * quota, self.unit)
                keep[each] = _divide_up(kept * self.unit, votes[each])

    def _distribute(self, keep: Numbers) -> list[int]:
        rows = self.orders.rows
        weight = np.full(len(rows), self.unit, np.int64)
        totals = [0] * (self.orders.size + len(REASONS))
        for holders in self.orders.table:
            kept = -(-weight * keep[holders[rows]] // self.unit)
            gained = self.orders.add_up(rows, holders[rows], kept)
            totals = [sum(each) for each in zip(totals, gained, strict=True)]
            weight = weight - kept
            rows, weight = rows[weight > 0], weight[weight > 0]
        return totals

    def moves(self, after: CountState) -> dict[tuple[int, int], int]:
        """Return how many votes moved from one candidate to another in this step.

        Each ballot is divided among its choices. What a candidate no longer keeps of it goes to
        the next choices that keep more than before.
        """
        assert isinstance(after, MeekState)
        rows = self.orders.rows
        old, new = (_Parts(state.keep, len(rows), self.unit) for state in (self, after))
        size = self.orders.size + len(REASONS)
        flows = np.zeros(size * size, self.orders.counts.dtype)
        while rows.size:
            source, target = old.take(self.orders.table, rows), new.take(self.orders.table, rows)
            moved = np.minimum(old.kept, new.kept)
            way = source.astype(np.intp) * size + target
            np.add.at(flows, way, moved * self.orders.counts[rows])
            old.kept, new.kept = old.kept - moved, new.kept - moved
            unfinished = (old.kept > 0) | (old.weight > 0)
            rows = rows[unfinished]
            old.select(unfinished)
            new.select(unfinished)
        moves = {divmod(way, size): int(votes) for way, votes in enumerate(flows.tolist())}
        for (giver, taker), votes in moves.items():
            # If a rounding gives a candidate back what was exhausted, less is exhausted.
            if taker < self.orders.size <= giver:
                moves[taker, giver] -= votes
        return {
            way: votes
            for way, votes in moves.items()
            if votes and way[0] != way[1] and way[0] < self.orders.size
        }


class _Parts:
    """The parts into which keep factors divide ballots, one after another for each row."""

    def __init__(self, keep: Numbers, rows: int, unit: int) -> None:
        self._keep = keep
        self._unit = unit
        self._position = np.full(rows, -1, np.int16)
        self.weight = np.full(rows, unit, np.int64)
        self.kept = np.zeros(rows, np.int64)

    def take(self, table: NDArray[np.int16], rows: Rows) -> NDArray[np.int16]:
        """Return the candidate that receives the next part of each ballot's vote.

        A candidate whose part is used up is skipped.
        """
        empty = (self.kept == 0) & (self.weight > 0)
        self._position[empty] += 1
        holders = table[self._position, rows]
        kept = -(-self.weight[empty] * self._keep[holders[empty]] // self._unit)
        self.kept[empty] = kept
        self.weight[empty] -= kept
        return holders

    def select(self, mask: NDArray[np.bool_]) -> None:
        """Keep the rows of the mask."""
        self._position, self.weight = self._position[mask], self.weight[mask]
        self.kept = self.kept[mask]


def _divide_up(number: int, divisor: int) -> int:
    return -(-number // divisor)
