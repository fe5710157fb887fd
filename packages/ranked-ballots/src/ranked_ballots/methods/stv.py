"""Fill several seats by single transferable vote: the Scottish rules, or Meek's method.

Each round elects those who reach the quota. Then it moves a surplus, or eliminates the candidate
with the fewest votes. A tie that earlier rounds do not break is broken by the seed's order. Without
a seed, a tie that cannot change who can be elected is broken by the order of the candidates. Any
other tie ends the count, and the candidates who could get the remaining seats are reported as tied.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal, TypeAlias

from ranked_ballots.ballots import Ballots
from ranked_ballots.errors import BallotsError
from ranked_ballots.methods.explanation import describe_turnout
from ranked_ballots.methods.runoff import (
    BROKEN_BY,
    BrokenBy,
    Mattered,
    Tie,
    Transfer,
    any_mattered,
    describe_transfers,
)
from ranked_ballots.methods.stv_rules import REASONS, CountState, MeekState, ScottishState, Step
from ranked_ballots.result import BallotAccount, Number, Result, Rule, number_places
from ranked_ballots.rules import equal_ranks_rule
from ranked_ballots.text import format_decimal, join_names, pluralize
from ranked_ballots.tie_break import TieBreak

StvEqualRanks: TypeAlias = Literal["exhaust at once", "skip"]

# At most this many steps are taken to find out what ties can change, and fewer if there are many
# ballots. It is a number and not a duration, so that the answer is the same on every machine.
_MAX_STEPS = 300
_MIN_STEPS = 16
_MAX_CELLS = 30_000_000


@dataclass(frozen=True, slots=True)
class StvRound:
    """One round: the votes, the candidates above the quota, and the transfers.

    The step moves the surplus of `surplus_of`, or all votes of `eliminated`; with Meek's method,
    surpluses move in every step. `transfer_values` are pairs of a ballot's value before and after a
    surplus, and `keep_factors` the parts of a vote that elected candidates keep with Meek's method.
    `exhausted` are votes that no candidate has, by reason.
    """

    number: int
    quota: Number
    tally: dict[str, Number]
    exhausted: dict[str, Number]
    elected: tuple[str, ...] = ()
    surplus_of: str | None = None
    eliminated: str | None = None
    tie: Tie | None = None
    transfers: tuple[Transfer, ...] = ()
    transfer_values: tuple[tuple[Number, Number], ...] = ()
    keep_factors: dict[str, Number] = field(default_factory=dict[str, Number])

    @property
    def continuing(self) -> Number:
        """Return how many votes candidates have."""
        return sum(self.tally.values())

    @property
    def exhausted_total(self) -> Number:
        """Return how many votes no candidate has."""
        return sum(self.exhausted.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class StvResult(Result):
    """The rounds until all seats are filled, or until a tie that nothing breaks.

    `elected` is in the order of election; all of them share 1st place. If a tie ends the count,
    `elected` have a seat for every way to break it, and `tied` for some ways only.
    """

    seats: int
    elected: tuple[str, ...]
    tied: tuple[str, ...]
    rounds: tuple[StvRound, ...]
    ties_mattered: Mattered | None

    @property
    def winner(self) -> str | None:
        """Return the elected candidate if there is one seat; None for several seats or a tie."""
        return self.elected[0] if self.seats == 1 and self.elected else None


def scottish_stv(
    ballots: Ballots,
    *,
    seats: int,
    equal_ranks: StvEqualRanks = "exhaust at once",
    seed: str | None = None,
) -> StvResult:
    """Fill seats by the rules of Scottish local elections. A seed breaks ties."""
    return _count(ScottishState, ballots, seats, equal_ranks, seed)


def meek_stv(
    ballots: Ballots,
    *,
    seats: int,
    equal_ranks: StvEqualRanks = "exhaust at once",
    seed: str | None = None,
) -> StvResult:
    """Fill seats by Meek's method, in the arithmetic of its reference rule. A seed breaks ties."""
    return _count(MeekState, ballots, seats, equal_ranks, seed)


def _count(
    kind: type[CountState],
    ballots: Ballots,
    seats: int,
    equal_ranks: StvEqualRanks,
    seed: str | None,
) -> StvResult:
    if seats < 1:
        raise BallotsError(f"`seats` is {seats}; expected 1, 2, 3 …")
    names = ballots.candidates
    tie_break = None if seed is None else TieBreak.from_seed(names, seed)
    count = _Counter(kind.start(ballots, seats, equal_ranks), names, tie_break)
    rounds = tuple(count.rounds())
    elected, tied, others = count.outcome()
    places = number_places([level for level in (elected, tied, *others) if level])
    last = rounds[-1]
    uncounted = ballots.cast - ballots.blank - count.state.orders.valid
    exhausted = {**last.exhausted, REASONS[1]: last.exhausted[REASONS[1]] + uncounted}
    result = StvResult(
        method=kind.name,
        candidates=names,
        rules=(*kind.rules, equal_ranks_rule(equal_ranks), _ties_rule(kind, tie_break)),
        account=BallotAccount(ballots.cast, ballots.blank, last.continuing, exhausted),
        places=places,
        tie_break=tie_break,
        final_order=()
        if tie_break is None
        else (*elected, *(name for level in others for name in tie_break.sort(level))),
        seats=seats,
        elected=tuple(elected),
        tied=tuple(tied),
        rounds=rounds,
        ties_mattered=any_mattered([each.tie.mattered for each in rounds if each.tie]),
    )
    return replace(result, explanation=tuple(explain_stv(result)))


class _Counter:
    """The state of a count. It also records whether another tie-break could change the result."""

    def __init__(
        self, state: CountState, names: tuple[str, ...], tie_break: TieBreak | None
    ) -> None:
        self.state = state
        self._names = names
        self._tie_break = tie_break
        cells = max(1, state.orders.table.size)
        self._steps_left = max(_MIN_STEPS, min(_MAX_STEPS, _MAX_CELLS // cells))
        self._outcomes: set[frozenset[int]] | None = None

    def rounds(self) -> Iterator[StvRound]:
        """Count until all seats are filled or a tie ends the count."""
        number = 0
        while True:
            number += 1
            state = self.state = self.state.elect()
            round_ = self._describe(number)
            if state.is_over:
                yield round_
                return
            step, tied = state.next_step()
            who, tie = self._break_tie(step, tied)
            if tie is not None and tie.broken_by == "nothing":
                yield replace(round_, tie=tie)
                return
            self.state = state.advance(step, who)
            name = None if who is None else self._names[who]
            yield replace(
                round_,
                surplus_of=name if step == "surplus" else None,
                eliminated=name if step == "elimination" else None,
                tie=tie,
                transfers=self._transfers(state.moves(self.state)),
                transfer_values=self._transfer_values(state, step, who),
            )

    def outcome(self) -> tuple[list[str], list[str], list[list[str]]]:
        """Return the elected, those tied for the remaining seats, and the places below them."""
        state = self.state
        certain, possible = set(state.elected), set(state.elected)
        if not state.is_over:
            outcomes = self._outcomes or {frozenset(certain), frozenset((*certain, *state.hopeful))}
            possible = {each for outcome in outcomes for each in outcome}
            certain = {each for each in possible if all(each in outcome for outcome in outcomes)}
        left: dict[int, list[str]] = {}
        for each in state.hopeful:
            if each not in possible:
                left.setdefault(state.votes[each], []).append(self._names[each])
        elected = [*state.elected, *sorted(certain - {*state.elected})]
        return (
            [self._names[each] for each in elected],
            [self._names[each] for each in sorted(possible - certain)],
            [
                *(left[votes] for votes in sorted(left, reverse=True)),
                *([self._names[each]] for each in reversed(state.eliminated)),
            ],
        )

    def _break_tie(self, step: Step, tied: tuple[int, ...]) -> tuple[int | None, Tie | None]:
        """Return the candidates to elect or eliminate next, and the tie between them, if any."""
        if len(tied) < 2:
            return (tied[0] if tied else None), None
        left = list(self.state.look_back(step, tied))
        mattered = self._matters(step, tuple(left) if len(left) > 1 else tied)
        broken_by: BrokenBy = "nothing"
        who = left[0] if step == "surplus" else left[-1]
        if len(left) == 1:
            broken_by = "earlier rounds"
        elif self._tie_break is not None:
            order = self._tie_break.sort([self._names[each] for each in left])
            who = self._names.index(order[0] if step == "surplus" else order[-1])
            broken_by = "seed"
        elif mattered == "no":
            broken_by = "candidate order"
        return who, Tie(tuple(self._names[each] for each in tied), broken_by, mattered)

    def _matters(self, step: Step, tied: tuple[int, ...]) -> Mattered:
        if _all_eliminated_next(self.state, step, tied):
            return "no"
        try:
            outcomes = [self._explore(self.state, step, (who,)) for who in tied]
        except _TooManyOutcomes:
            self._outcomes = None
            return "not known"
        self._outcomes = set[frozenset[int]]().union(*outcomes)
        # A later tie may still matter after each of these choices.
        return "no" if all(each == outcomes[0] for each in outcomes) else "yes"

    def _explore(self, state: CountState, step: Step, tied: tuple[int, ...]) -> set[frozenset[int]]:
        """Return every set of candidates that could be elected, depending on this tie."""
        outcomes: set[frozenset[int]] = set()
        for who in tied:
            after, next_step = state, step
            next_tied: tuple[int, ...] = (who,)
            while len(next_tied) < 2:
                self._steps_left -= 1
                if self._steps_left < 0:
                    raise _TooManyOutcomes
                after = after.advance(next_step, next_tied[0] if next_tied else None).elect()
                if after.is_over:
                    break
                next_step, next_tied = after.next_step()
                next_tied = after.look_back(next_step, next_tied)
                if _all_eliminated_next(after, next_step, next_tied):
                    next_tied = next_tied[-1:]
            if after.is_over:
                outcomes.add(frozenset(after.elected))
            else:
                outcomes |= self._explore(after, next_step, next_tied)
        return outcomes

    def _number(self, votes: int) -> Number:
        number = Fraction(votes, self.state.unit)
        return int(number) if number.denominator == 1 else number

    def _describe(self, number: int) -> StvRound:
        state, size = self.state, len(self._names)
        present = sorted({*state.hopeful, *state.elected})
        return StvRound(
            number,
            self._number(state.quota),
            {self._names[each]: self._number(state.votes[each]) for each in present},
            dict(zip(REASONS, map(self._number, state.votes[size:]), strict=True)),
            tuple(self._names[each] for each in state.newly_elected),
            keep_factors=self._keep_factors(state) if isinstance(state, MeekState) else {},
        )

    def _keep_factors(self, state: MeekState) -> dict[str, Number]:
        return {self._names[each]: self._number(int(state.keep[each])) for each in state.elected}

    def _transfers(self, moves: dict[tuple[int, int], int]) -> tuple[Transfer, ...]:
        size = len(self._names)
        return tuple(
            Transfer(self._names[source], self._names[target], self._number(votes))
            if target < size
            else Transfer(self._names[source], None, self._number(votes), REASONS[target - size])
            for (source, target), votes in moves.items()
        )

    def _transfer_values(
        self, state: CountState, step: Step, who: int | None
    ) -> tuple[tuple[Number, Number], ...]:
        if step != "surplus" or who is None or not isinstance(state, ScottishState):
            return ()
        values = state.transfer_values(who)
        return tuple((self._number(old), self._number(new)) for old, new in values.items())


class _TooManyOutcomes(Exception):
    """There are too many ways to break the ties to try them all."""


def _all_eliminated_next(state: CountState, step: Step, tied: Sequence[int]) -> bool:
    """Return whether all of the tied go next, in any order, because they have no votes at all."""
    enough_others = len(state.hopeful) - len(tied) >= state.vacancies
    return step == "elimination" and enough_others and not any(state.votes[each] for each in tied)


def _ties_rule(kind: type[CountState], tie_break: TieBreak | None) -> Rule:
    earlier = (
        "The votes when the tied candidates last differed break a tie. If they never differed: "
        if kind is ScottishState
        else ""
    )
    choice = "earlier rounds, then " if earlier else ""
    if tie_break is None:
        return Rule(
            "ties",
            f"{choice}reported",
            f"{earlier}A tie that cannot change who can be elected is broken by the order of the "
            "candidates. Any other tie ends the count, and all who could get the remaining seats "
            "are reported as tied.",
        )
    return Rule(
        "ties",
        f"{choice}seed",
        f"{earlier}A tie is broken by the order of SHA-256 over the published seed "
        f"'{tie_break.short_seed}' followed by the candidate's name: the first surplus is that of "
        "the earlier one, and the later one is eliminated.",
    )


_MATTERED: dict[Mattered, str] = {
    "yes": "This matters: another choice could elect someone else.",
    "no": "This does not affect who can be elected.",
    "not known": "There are too many ways to break the ties to tell whether this affects who can "
    "be elected.",
}


def explain_stv(result: StvResult, is_final: bool = True) -> Iterator[str]:
    """Return an explanation of each round: its elections, eliminations and transfers."""
    yield describe_turnout(result.account, is_final)
    quota = format_decimal(result.rounds[0].quota)
    seats = pluralize(result.seats, "seat")
    yield f"{seats} {'is' if result.seats == 1 else 'are'} to be filled; the quota is {quota}."
    would = "is" if is_final else "would be"
    for round_ in result.rounds:
        yield from _explain_round(round_, would)
    if result.tied:
        left = pluralize(result.seats - len(result.elected), "seat")
        yield (
            f"So {join_names(result.tied)} are tied for {left}. To decide, use a seed that was "
            "fixed before the ballots were known."
        )
    if len(result.elected) == 1:
        yield f"{result.elected[0]} {would} elected."
    elif result.elected:
        would = "are" if is_final else "would be"
        yield f"{join_names(result.elected)} {would} elected, in this order."
    if (vacant := result.seats - len(result.elected)) and not result.tied:
        yield f"{pluralize(vacant, 'seat')} cannot be filled: there are no more candidates."


def _explain_round(round_: StvRound, would: str) -> Iterator[str]:
    by_votes = sorted(round_.tally.items(), key=lambda entry: -entry[1])
    tally = ", ".join(f"{name} {format_decimal(votes)}" for name, votes in by_votes)
    quota = f", quota {format_decimal(round_.quota)}" if round_.keep_factors else ""
    yield f"Round {round_.number}{quota}: {tally}."
    if kept := [
        f"{name} {format_decimal(factor)}"
        for name, factor in round_.keep_factors.items()
        if factor != 1
    ]:
        yield f"Keep factors: {join_names(kept)}."
    reached = [name for name in round_.elected if round_.tally[name] >= round_.quota]
    others = [name for name in round_.elected if name not in reached]
    if reached:
        have = "has" if len(reached) == 1 else "have"
        yield f"{join_names(reached)} {have} the quota and {_be(reached, would)} elected."
    if others:
        left = f"{_be(others, 'is')} left for the remaining seats and {_be(others, would)} elected"
        yield f"{join_names(others)} {left}."
    if round_.tie is not None:
        has_surplus = round_.tally[round_.tie.tied[0]] > round_.quota
        about = "the largest surplus" if has_surplus else "the fewest votes"
        yield (
            f"{join_names(round_.tie.tied)} are tied for {about}. "
            f"{BROKEN_BY[round_.tie.broken_by]} {_MATTERED[round_.tie.mattered]}"
        )
    yield from _explain_step(round_)


def _be(names: Sequence[str], would: str) -> str:
    return "are" if would == "is" and len(names) > 1 else would


def _explain_step(round_: StvRound) -> Iterator[str]:
    by_source: dict[str, list[Transfer]] = {}
    for transfer in round_.transfers:
        by_source.setdefault(transfer.source, []).append(transfer)
    if round_.surplus_of is not None:
        votes = round_.tally[round_.surplus_of]
        values = [
            f"{format_decimal(new)} for a ballot worth {format_decimal(old)}"
            for old, new in round_.transfer_values
        ]
        yield (
            f"{round_.surplus_of} has a surplus of {format_decimal(votes - round_.quota)} of "
            f"{format_decimal(votes)} votes. The transfer value is {join_names(values)}."
        )
    if round_.eliminated is not None:
        reason = "" if round_.tie is not None else "has the fewest votes and "
        moves = describe_transfers(by_source.pop(round_.eliminated, ()), format_decimal)
        yield f"{round_.eliminated} {reason}is eliminated; {moves}."
    for source, transfers in by_source.items():
        yield f"From {source}, {describe_transfers(transfers, format_decimal)}."
