"""A tabulation: the rounds of a count without its ballots.

From these nobody can make ballots: a tally says how many stand with whom, not what they ranked
next. So reading such a file gives a tabulation, and never ballots.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from singletable_apps.counting.errors import WriteError
from singletable_apps.counting.result import Number
from singletable_apps.counting.results.runoff import Round, RunoffResult

# Why a ballot is inactive: RCTab's word for each reason of ours.
INACTIVE = {
    "no more choices": "exhaustedChoices",
    "equal ranks": "overvotes",
    "repeated candidate": "repeatedRankings",
    "skipped ranks": "skippedRankings",
}
EXHAUSTED = "exhausted"


@dataclass(frozen=True, slots=True)
class Outcome:
    """Who is elected or eliminated in a round, and where the votes go: names, or EXHAUSTED."""

    candidate: str
    elected: bool
    transfers: dict[str, Number] = field(default_factory=dict[str, Number])


@dataclass(frozen=True, slots=True)
class TabulatedRound:
    """A round: votes by name, what makes a majority, and inactive ballots by reason."""

    number: int
    tally: dict[str, Number]
    outcomes: tuple[Outcome, ...] = ()
    threshold: Number | None = None
    inactive: dict[str, Number] = field(default_factory=dict[str, Number])


@dataclass(frozen=True, slots=True)
class Tabulation:
    """The rounds of a contest; totals are None where a file does not say them."""

    contest: str
    date: str
    rounds: tuple[TabulatedRound, ...]
    ballots: Number | None = None
    undervotes: Number | None = None


def tabulation_of(result: RunoffResult, contest: str, date: str) -> Tabulation:
    """The tabulation that a result is."""
    return Tabulation(
        contest,
        date,
        tuple(_round(each) for each in result.rounds),
        result.account.cast,
        result.account.blank,
    )


def _round(each: Round) -> TabulatedRound:
    outcomes: list[Outcome] = []
    if each.eliminated is not None:
        outcomes.append(Outcome(each.eliminated, elected=False, transfers=_transfers(each)))
    if each.winner is not None:
        outcomes.append(Outcome(each.winner, elected=True))
    unknown = sorted(set(each.exhausted) - set(INACTIVE))
    if unknown:
        raise WriteError(f"RCTab has no word for ballots that are exhausted by {unknown}.")
    return TabulatedRound(
        each.number,
        dict(each.tally),
        tuple(outcomes),
        # More than half of those that continue.
        each.continuing // 2 + 1,
        {word: each.exhausted.get(reason, 0) for reason, word in INACTIVE.items()},
    )


def _transfers(each: Round) -> dict[str, Number]:
    moved: dict[str, Number] = {}
    for transfer in each.transfers:
        if transfer.target == EXHAUSTED:
            raise WriteError(f"RCTab has the word '{EXHAUSTED}' for no candidate; rename them.")
        target = transfer.target or EXHAUSTED
        moved[target] = moved.get(target, 0) + transfer.votes
    return moved
