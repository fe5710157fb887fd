"""What a Ranked Pairs count gives."""

from __future__ import annotations

from dataclasses import dataclass

from singletable_apps.counting.pairwise import Matrix
from singletable_apps.counting.result import Result


@dataclass(frozen=True, slots=True)
class RankedPair:
    """A victory, locked or skipped; `cycle` is the one that a skip avoided.

    The cycle begins and ends with the winner: Ada, Ben, Cy, Ada. `by_order` says that equal pairs
    contradicted each other, so that the tie-break order (or, without one, nothing) decided it.
    """

    winner: str
    loser: str
    votes: int
    against: int
    locked: bool
    cycle: tuple[str, ...] = ()
    by_order: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedPairsResult(Result):
    """`pairs` are the victories in the order in which they were looked at, the strongest first."""

    preferences: Matrix
    pairs: tuple[RankedPair, ...]
    condorcet_winner: str | None
    smith_set: tuple[str, ...]
