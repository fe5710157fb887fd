"""Count by instant runoff: eliminate the last candidate until one has a majority.

The majority is of the ballots that still count for a candidate. One candidate is eliminated per
round. A tie for last is broken by the seed's order: the later candidate is eliminated. Without a
seed, a tie that cannot change the winner is broken by the order of the candidates. Any other tie
ends the count, and all candidates who could win are reported as tied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ranked_ballots.ballots import Ballots
from ranked_ballots.methods.explanation import (
    conclude,
    introduce,
    is_trivial,
    win_phrase,
)
from ranked_ballots.methods.first_choices import FirstChoices, Votes
from ranked_ballots.methods.margins import runoff_margin
from ranked_ballots.result import (
    BallotAccount,
    Number,
    Place,
    Result,
    Rule,
    break_ties,
    number_places,
)
from ranked_ballots.rules import EqualRanks, equal_ranks_rule
from ranked_ballots.text import format_number, format_ordinal, join_names, pluralize
from ranked_ballots.tie_break import TieBreak

Mattered: TypeAlias = Literal["yes", "no", "not known"]
BrokenBy: TypeAlias = Literal["seed", "earlier rounds", "candidate order", "nothing"]

# At most this many rounds are counted to find out what ties can change, and fewer if there are many
# ballots. It is a number and not a duration, so that the answer is the same on every machine.
_MAX_ROUNDS = 1_000
_MIN_ROUNDS = 64
_MAX_CELLS = 100_000_000

_RULES = (
    Rule("majority", "continuing", "More than half of the ballots that still count wins."),
    Rule("elimination", "one", "Each round eliminates the one candidate with the fewest votes."),
    Rule(
        "order",
        "elimination",
        "After the winner come the candidates left in the last round by their votes, then the "
        "others, the last eliminated first.",
    ),
)


@dataclass(frozen=True, slots=True)
class Transfer:
    """Votes that moved from an eliminated candidate to `target`, or to no one for `reason`."""

    source: str
    target: str | None
    votes: Number
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Tie:
    """A tie for the fewest votes: the candidates, the rule that broke it, and if that mattered.

    A tie does not matter if every choice leads to the same winner, or if all of the tied candidates
    are eliminated next in any order. It matters if another choice could make someone else win.
    """

    tied: tuple[str, ...]
    broken_by: BrokenBy
    mattered: Mattered


@dataclass(frozen=True, slots=True)
class Round:
    """One round; `transfers` are the votes that its elimination moved.

    `continuing` ballots count for a candidate, and more than half of them win. `exhausted` ballots
    no longer count for anyone, by reason, up to and including this round.
    """

    number: int
    tally: dict[str, Number]
    continuing: Number
    exhausted: dict[str, Number]
    winner: str | None = None
    eliminated: str | None = None
    tie: Tie | None = None
    transfers: tuple[Transfer, ...] = ()

    @property
    def exhausted_total(self) -> Number:
        """Return how many ballots no longer count for anyone."""
        return sum(self.exhausted.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class RunoffResult(Result):
    """The rounds until a candidate has a majority, or until a tie that nothing breaks.

    `possible_winners` win for some way to break the ties; None if there are too many ways to try.
    `ties_mattered` is None if there were no ties.
    """

    rounds: tuple[Round, ...]
    possible_winners: tuple[str, ...] | None
    ties_mattered: Mattered | None


def instant_runoff(
    ballots: Ballots,
    *,
    equal_ranks: EqualRanks = "split",
    look_back: bool = False,
    seed: str | None = None,
) -> RunoffResult:
    """Count in rounds. `look_back` lets earlier rounds break ties for last where they can."""
    names = ballots.candidates
    tie_break = None if seed is None else TieBreak.from_seed(names, seed)
    choices = FirstChoices(ballots, equal_ranks)
    count = _Count(names)
    if ballots.cast > ballots.blank:
        _count_rounds(count, choices, tie_break, look_back=look_back)
    rounds = _describe_rounds(count)
    places = number_places([[names[each] for each in level] for level in _levels(count)])
    last = rounds[-1] if rounds else None
    result = RunoffResult(
        method="Instant runoff",
        candidates=names,
        rules=(*_RULES, equal_ranks_rule(equal_ranks), _ties_rule(tie_break, look_back=look_back)),
        account=BallotAccount(
            ballots.cast,
            ballots.blank,
            last.continuing if last else 0,
            last.exhausted if last else {},
        ),
        places=places,
        tie_break=tie_break,
        final_order=break_ties(places, tie_break),
        rounds=rounds,
        possible_winners=_possible_winners(count),
        ties_mattered=any_mattered([tie.mattered for tie in count.ties.values()]),
    )
    if count.winner is not None and result.ties_mattered in (None, "no"):
        margin = runoff_margin(choices, count.votes, count.winner)
        result = replace(result, margin=margin)
    return replace(result, explanation=tuple(explain_runoff(result)))


@dataclass(slots=True)
class _Count:
    """The state of a count; candidates are numbers."""

    names: tuple[str, ...]
    votes: list[Votes] = field(default_factory=list[Votes])
    eliminated: list[int] = field(default_factory=list[int])
    ties: dict[int, Tie] = field(default_factory=dict[int, Tie])
    possible: frozenset[int] | None = None  # possible winners at the first tie
    still_possible: frozenset[int] | None = None  # possible winners at the last tie
    winner: int | None = None


def _count_rounds(
    count: _Count, choices: FirstChoices, tie_break: TieBreak | None, *, look_back: bool
) -> None:
    """Count rounds until a candidate wins or a tie ends the count."""
    outcomes = _Outcomes(choices)
    remaining = tuple(range(len(count.names)))
    exhausted_rows = None
    while True:
        votes = choices.count(remaining, exhausted_rows)
        count.votes.append(votes)
        # Where all ballots are exhausted no one has a majority, and the last candidate wins.
        count.winner = remaining[0] if len(remaining) == 1 else votes.majority
        if count.winner is not None:
            return
        tied = votes.fewest
        if len(tied) > 1:
            possible = outcomes.winners(remaining, exhausted_rows)
            if not count.ties:
                count.possible = possible
            count.still_possible = possible
            mattered = _matters(votes, possible)
            tied, broken_by = _break_tie(count, tied, mattered, tie_break, look_back=look_back)
            names = tuple(count.names[each] for each in votes.fewest)
            count.ties[len(count.votes)] = Tie(names, broken_by, mattered)
            if broken_by == "nothing":
                return
        count.eliminated.append(tied[0])
        remaining = tuple(each for each in remaining if each != tied[0])
        exhausted_rows = votes.exhausted_rows


def _break_tie(
    count: _Count,
    tied: list[int],
    mattered: Mattered,
    tie_break: TieBreak | None,
    *,
    look_back: bool,
) -> tuple[list[int], BrokenBy]:
    """Return a list with the candidate to eliminate, and the rule that broke a tie."""
    if look_back:
        tied = _fewest_in_earlier_rounds(tied, count.votes[:-1])
        if len(tied) == 1:
            return tied, "earlier rounds"
    if tie_break is not None:
        last = tie_break.last(count.names[each] for each in tied)
        return [count.names.index(last)], "seed"
    if mattered == "no":
        return [tied[-1]], "candidate order"
    return tied, "nothing"


def _fewest_in_earlier_rounds(tied: list[int], rounds: Sequence[Votes]) -> list[int]:
    """Return the tied candidates with the fewest votes when they last differed."""
    for earlier in reversed(rounds):
        lowest = min(earlier.tally[each] for each in tied)
        tied = [each for each in tied if earlier.tally[each] == lowest]
    return tied


def _matters(votes: Votes, possible: frozenset[int] | None) -> Mattered:
    if votes.exhausted_rows is None and _all_eliminated_next(votes):
        return "no"
    if possible is None:
        return "not known"
    return "yes" if len(possible) > 1 else "no"


def any_mattered(ties: Sequence[Mattered]) -> Mattered | None:
    """Return whether any of the ties mattered; None if there are none."""
    for mattered in ("yes", "not known", "no"):
        if mattered in ties:
            return mattered
    return None


def _all_eliminated_next(votes: Votes) -> list[int]:
    """Return the candidates with the fewest votes if all of them go next, in any order.

    Together they have fewer votes than the next candidate alone, so no transfer between them lifts
    one above anyone else; and once all are gone, the votes do not depend on the order.
    """
    fewest = votes.fewest
    others = [number for each, number in votes.tally.items() if each not in fewest]
    together = sum(votes.tally[each] for each in fewest)
    return fewest if others and together < min(others) else []


class _TooManyOutcomes(Exception):
    """There are too many ways to break the ties to try them all."""


class _Outcomes:
    """Breaks ties in every possible order, and collects the winners."""

    def __init__(self, choices: FirstChoices) -> None:
        self._choices = choices
        self._known: dict[tuple[tuple[int, ...], bytes], frozenset[int]] = {}
        cells = max(1, choices.ballots.columns.size)
        self._rounds_left = max(_MIN_ROUNDS, min(_MAX_ROUNDS, _MAX_CELLS // cells))

    def winners(
        self, remaining: Sequence[int], exhausted_rows: NDArray[np.bool_] | None
    ) -> frozenset[int] | None:
        """Return the possible winners, or None if there are too many orders to try."""
        try:
            return self._winners(tuple(remaining), exhausted_rows)
        except _TooManyOutcomes:
            return None

    def _winners(
        self, remaining: tuple[int, ...], exhausted_rows: NDArray[np.bool_] | None
    ) -> frozenset[int]:
        key = remaining, b"" if exhausted_rows is None else np.packbits(exhausted_rows).tobytes()
        if key not in self._known:
            if self._rounds_left == 0:
                raise _TooManyOutcomes
            self._rounds_left -= 1
            votes = self._choices.count(remaining, exhausted_rows)
            self._known[key] = self._winners_from(remaining, votes)
        return self._known[key]

    def _winners_from(self, remaining: tuple[int, ...], votes: Votes) -> frozenset[int]:
        if votes.majority is not None:
            return frozenset([votes.majority])
        if votes.continuing == 0:
            return frozenset(remaining)
        if votes.exhausted_rows is None and (eliminated := _all_eliminated_next(votes)):
            return self._winners(_without(remaining, eliminated), None)
        outcomes = [
            self._winners(_without(remaining, [each]), votes.exhausted_rows)
            for each in votes.fewest
        ]
        return frozenset[int]().union(*outcomes)


def _without(remaining: tuple[int, ...], eliminated: Sequence[int]) -> tuple[int, ...]:
    return tuple(each for each in remaining if each not in eliminated)


def _possible_winners(count: _Count) -> tuple[str, ...] | None:
    if not count.votes:
        return count.names
    if not count.ties:
        return (count.names[count.winner],) if count.winner is not None else None
    if count.possible is None:
        return None
    return tuple(count.names[each] for each in sorted(count.possible))


def _levels(count: _Count) -> list[list[int]]:
    """Return the places, best first. Candidates with the same place are together."""
    if not count.votes:
        return [list(range(len(count.names)))]
    last = count.votes[-1].tally
    # If it is not known who can win, all who are left may.
    possible = last.keys() if count.still_possible is None else count.still_possible
    first = [count.winner] if count.winner is not None else sorted(possible)
    rest: dict[Number, list[int]] = {}
    for each, votes in last.items():
        if each not in first:
            rest.setdefault(votes, []).append(each)
    by_votes = [rest[votes] for votes in sorted(rest, reverse=True)]
    return [first, *by_votes, *([each] for each in reversed(count.eliminated))]


def _describe_rounds(count: _Count) -> tuple[Round, ...]:
    rounds: list[Round] = []
    for at, votes in enumerate(count.votes):
        is_last = at == len(count.votes) - 1
        eliminated = None if is_last else count.eliminated[at]
        next_votes = None if is_last else count.votes[at + 1]
        rounds.append(
            Round(
                at + 1,
                {count.names[each]: number for each, number in votes.tally.items()},
                votes.continuing,
                votes.exhausted,
                count.names[count.winner] if is_last and count.winner is not None else None,
                None if eliminated is None else count.names[eliminated],
                count.ties.get(at + 1),
                ()
                if eliminated is None or next_votes is None
                else _transfers(count, eliminated, votes, next_votes),
            )
        )
    return tuple(rounds)


def _transfers(count: _Count, eliminated: int, before: Votes, after: Votes) -> tuple[Transfer, ...]:
    """Return where the votes of the eliminated candidate are in the next round."""
    source = count.names[eliminated]
    to_others = [
        Transfer(source, count.names[each], number - before.tally[each])
        for each, number in after.tally.items()
    ]
    to_nobody = [
        Transfer(source, None, number - before.exhausted[reason], reason)
        for reason, number in after.exhausted.items()
    ]
    return tuple(transfer for transfer in [*to_others, *to_nobody] if transfer.votes)


def _ties_rule(tie_break: TieBreak | None, *, look_back: bool) -> Rule:
    earlier = (
        "Of the candidates tied for last, the one with fewer votes when they last differed is "
        "eliminated. If they never differed: "
        if look_back
        else ""
    )
    choice = "earlier rounds, then " if look_back else ""
    if tie_break is None:
        return Rule(
            "ties",
            f"{choice}reported",
            f"{earlier}A tie for last that cannot change the winner is broken by the order of the "
            "candidates: the later one is eliminated. Any other tie ends the count, and all "
            "candidates who could win are reported as tied.",
        )
    return Rule(
        "ties",
        f"{choice}seed",
        f"{earlier}A tie for last is broken by the order of SHA-256 over the published seed "
        f"'{tie_break.short_seed}' followed by the candidate's name: the later one is eliminated.",
    )


BROKEN_BY: dict[BrokenBy, str] = {
    "seed": "The order that breaks ties decides.",
    "earlier rounds": "The votes of earlier rounds break the tie.",
    "candidate order": "The order of the candidates breaks the tie.",
    "nothing": "No rule breaks the tie.",
}
_MATTERED: dict[Mattered, str] = {
    "yes": "This matters: another choice could make someone else win.",
    "no": "This does not affect who wins.",
    "not known": "There are too many ways to break the ties to tell whether this affects who wins.",
}


def explain_runoff(result: RunoffResult, is_final: bool = True) -> Iterator[str]:
    """Explain each elimination and where the votes went."""
    yield from introduce(result, is_final)
    if not is_trivial(result):
        for round_ in result.rounds:
            yield from _explain_round(round_, is_final)
        if result.winner is None or result.rounds[-1].winner is None:
            yield _explain_undecided(result)
        for place in result.places[1:]:
            yield _explain_place(result, place)
    yield from conclude(result, is_final)


def _explain_round(round_: Round, is_final: bool) -> Iterator[str]:
    by_votes = sorted(round_.tally.items(), key=lambda entry: -entry[1])
    tally = ", ".join(f"{name} {format_number(votes)}" for name, votes in by_votes)
    yield f"Round {round_.number}: {tally}."
    if round_.winner is not None and not round_.continuing:
        yield (
            f"No ballot counts anymore; {round_.winner} is the last candidate left and "
            f"{win_phrase(is_final)}."
        )
        return
    if round_.winner is not None:
        yield (
            f"{round_.winner} has {format_number(round_.tally[round_.winner])} of "
            f"{pluralize(round_.continuing, 'continuing ballot')}, more than half, and "
            f"{win_phrase(is_final)}."
        )
        return
    if round_.tie is not None:
        votes = pluralize(round_.tally[round_.tie.tied[0]], "vote")
        yield (
            f"{join_names(round_.tie.tied)} are tied for last with {votes} each. "
            f"{BROKEN_BY[round_.tie.broken_by]} {_MATTERED[round_.tie.mattered]}"
        )
    if round_.eliminated is not None:
        reason = "" if round_.tie is not None else "has the fewest votes and "
        yield f"{round_.eliminated} {reason}is eliminated; {describe_transfers(round_.transfers)}."


def describe_transfers(
    transfers: Sequence[Transfer], write: Callable[[Number], str] = format_number
) -> str:
    """Return a phrase with the number of votes for each candidate; `write` formats a number."""
    if not transfers:
        return "there are no votes to transfer"
    first, *rest = sorted(transfers, key=lambda transfer: transfer.target is None)
    votes, verb = ("vote", "goes") if first.votes == 1 else ("votes", "go")
    moves = [f"{write(first.votes)} {votes} {verb} to {_describe_target(first)}"]
    moves += [f"{write(move.votes)} to {_describe_target(move)}" for move in rest]
    return join_names(moves)


def _describe_target(transfer: Transfer) -> str:
    return f"no one ({transfer.reason})" if transfer.target is None else transfer.target


def _explain_undecided(result: RunoffResult) -> str:
    names = join_names(result.winners)
    if result.possible_winners is None:
        return (
            f"So the count ends here with {names} still in the race. To break the ties, use a seed "
            "that was fixed before the ballots were known."
        )
    return (
        f"So {names} are tied: each of them wins for some way to break the ties. To decide, use a "
        "seed that was fixed before the ballots were known."
    )


def _explain_place(result: RunoffResult, place: Place) -> str:
    round_numbers = {round_.eliminated: round_.number for round_ in result.rounds}
    name = place.candidates[0]
    ordinal = format_ordinal(place.place)
    if name in round_numbers:
        return f"{name} is {ordinal}, eliminated in round {round_numbers[name]}."
    votes = pluralize(result.rounds[-1].tally[name], "vote")
    if len(place.candidates) == 1:
        return f"{name} is {ordinal} with {votes} in the last round."
    return f"{join_names(place.candidates)} are tied for {ordinal} place with {votes} each."
