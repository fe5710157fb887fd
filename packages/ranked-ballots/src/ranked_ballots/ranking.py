"""One voter's ranking: which candidates are above others, which are equal, and which are unranked.

Only the order of rank numbers matters: 1, 4, 9 is the same as 1, 2, 3. Candidates with equal ranks
share a level. What it means to leave a candidate unranked is a rule of the count.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from ranked_ballots.errors import RankingError


@dataclass(frozen=True, slots=True)
class Ranking:
    """Levels of candidates, best first, without repeats. An empty ranking is a blank ballot."""

    levels: tuple[tuple[str, ...], ...] = ()

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for level in self.levels:
            for name in level:
                if name in seen:
                    raise _repeated(name)
                seen.add(name)
        # Candidates on a level have no order; sorting makes equal rankings equal values.
        levels = tuple(tuple(sorted(level)) for level in self.levels if level)
        object.__setattr__(self, "levels", levels)

    @classmethod
    def from_levels(cls, levels: Iterable[str | Iterable[str]]) -> Ranking:
        """Create a ranking from levels, best first; a level is a name or several equal names."""
        if isinstance(levels, str):
            raise RankingError(f"A ranking is a list of names or levels, not the text '{levels}'.")
        return cls(tuple((level,) if isinstance(level, str) else tuple(level) for level in levels))

    @classmethod
    def from_ranks(cls, ranks: Mapping[str, int | None]) -> Ranking:
        """Create a ranking from each candidate's rank; 1 is the best, None is unranked."""
        return cls.from_pairs(ranks.items())

    @classmethod
    def from_pairs(cls, pairs: Iterable[tuple[str, int | None]]) -> Ranking:
        """Create a ranking from pairs of candidate and rank; 1 is the best, None is unranked."""
        ranks: dict[str, int | None] = {}
        for name, rank in pairs:
            if name in ranks:
                raise _repeated(name)
            ranks[name] = _validate_rank(name, rank)
        levels: dict[int, list[str]] = {}
        for name, rank in ranks.items():
            if rank is not None:
                levels.setdefault(rank, []).append(name)
        return cls(tuple(tuple(levels[rank]) for rank in sorted(levels)))

    @property
    def names(self) -> tuple[str, ...]:
        """Return all ranked candidates, best first."""
        return tuple(name for level in self.levels for name in level)

    @property
    def is_blank(self) -> bool:
        """Return whether no candidate is ranked."""
        return not self.levels

    def check_candidates(self, candidates: Collection[str]) -> None:
        """Raise RankingError if the ranking contains anyone but these candidates."""
        for name in self.names:
            if name not in candidates:
                known = ", ".join(f"'{candidate}'" for candidate in candidates)
                raise RankingError(f"'{name}' is not a candidate. Candidates: {known}.", name)

    def __str__(self) -> str:
        return " > ".join(" = ".join(level) for level in self.levels)


def _repeated(name: str) -> RankingError:
    return RankingError(f"'{name}' is ranked twice. Rank each candidate at most once.", name)


def _validate_rank(name: str, rank: object) -> int | None:
    if rank is None:
        return None
    # True is an int in Python, but not a rank.
    if not isinstance(rank, int) or isinstance(rank, bool) or rank < 1:
        raise RankingError(
            f"The rank of '{name}' is {rank!r}; expected 1, 2, 3 … or None for unranked.", name
        )
    return rank
