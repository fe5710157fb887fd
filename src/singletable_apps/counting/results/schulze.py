"""What a Schulze count gives."""

from __future__ import annotations

from dataclasses import dataclass

from singletable_apps.counting.pairwise import Matrix
from singletable_apps.counting.result import Result


@dataclass(frozen=True, slots=True)
class BeatPath:
    """A chain of victories; `links[n]` is the strength of the one of names[n] over the next.

    It is as strong as its weakest link, and no other chain between its ends is stronger.
    """

    names: tuple[str, ...]
    links: tuple[int, ...]
    strength: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SchulzeResult(Result):
    """Matrices have a row and a column for each candidate, in the order of `candidates`.

    `preferences[a][b]` ballots prefer a to b; `strengths[a][b]` is the strength of the strongest
    path from a to b, 0 if there is none; `paths` has one such path for each two that have any.
    """

    preferences: Matrix
    strengths: Matrix
    paths: tuple[BeatPath, ...]
    condorcet_winner: str | None
    smith_set: tuple[str, ...]

    def path(self, source: str, target: str) -> BeatPath | None:
        """The strongest path from one candidate to another; None if there is none."""
        for path in self.paths:
            if path.names[0] == source and path.names[-1] == target:
                return path
        return None
