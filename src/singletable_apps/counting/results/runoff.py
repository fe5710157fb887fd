"""What an instant runoff gives: its rounds, and what its ties did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from singletable_apps.counting.result import Number, Result

Mattered: TypeAlias = Literal["yes", "no", "not known"]
BrokenBy: TypeAlias = Literal["seed", "earlier rounds", "candidate order", "nothing"]


@dataclass(frozen=True, slots=True)
class Transfer:
    """Votes that left an eliminated candidate for `target`; if that is None, for `reason`."""

    source: str
    target: str | None
    votes: Number
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Tie:
    """Who had the fewest votes together, what chose between them, and whether it mattered.

    It mattered if another choice, here or in a later tie, would make somebody else win.
    """

    tied: tuple[str, ...]
    broken_by: BrokenBy
    mattered: Mattered


@dataclass(frozen=True, slots=True)
class Round:
    """One round; `transfers` are what its elimination moved.

    `continuing` ballots count for somebody, and more than half of them make a winner. `exhausted`
    is how many count for nobody any more, by reason, up to and including this round.
    """

    number: int
    tally: dict[str, Number]
    continuing: Number
    exhausted: dict[str, Number]
    winner: str | None = None
    eliminated: str | None = None
    tie: Tie | None = None
    transfers: tuple[Transfer, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunoffResult(Result):
    """Rounds until somebody has a majority, or until a tie that nothing breaks.

    `possible_winners` are those who win under some way of breaking the ties; None if there were too
    many ways to look at. `ties_mattered` is None where nothing was tied.
    """

    rounds: tuple[Round, ...]
    possible_winners: tuple[str, ...] | None
    ties_mattered: Mattered | None
