"""What the methods give that add up a score for each candidate."""

from __future__ import annotations

from dataclasses import dataclass

from singletable_apps.counting.pairwise import Matrix
from singletable_apps.counting.result import Number, Result


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreResult(Result):
    """The most points win; `scores` has each candidate's. Plurality and Borda give this."""

    scores: dict[str, Number]


@dataclass(frozen=True, slots=True, kw_only=True)
class CopelandResult(ScoreResult):
    """A point for each candidate that is beaten, and half a point for each tie."""

    preferences: Matrix
    won: dict[str, int]
    tied: dict[str, int]
    lost: dict[str, int]
    condorcet_winner: str | None
    smith_set: tuple[str, ...]
