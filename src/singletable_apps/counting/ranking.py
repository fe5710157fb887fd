"""One voter's ranking: who stands above whom, who stands level, and who is left out.

Rank numbers say an order and nothing more: 1, 4, 9 is 1, 2, 3. Equal numbers are a level of
several candidates. Who is not ranked is left out; what that means is a rule of the count.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from singletable_apps.counting.errors import RankingError


@dataclass(frozen=True, slots=True)
class Ranking:
    """Levels of candidates, best first; nobody is in it twice. An empty one is a blank ballot."""

    levels: tuple[tuple[str, ...], ...] = ()

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for level in self.levels:
            for name in level:
                if name in seen:
                    raise RankingError(
                        f"'{name}' is ranked twice. Rank each candidate once, or not at all.", name
                    )
                seen.add(name)
        # Candidates on a level have no order, so that equal rankings are equal values.
        levels = tuple(tuple(sorted(level)) for level in self.levels if level)
        object.__setattr__(self, "levels", levels)

    @classmethod
    def from_levels(cls, levels: Iterable[str | Iterable[str]]) -> Ranking:
        """From a list of levels, best first; a level is a name, or names that stand level."""
        if isinstance(levels, str):
            raise RankingError(f"A ranking is a list of names or levels, and '{levels}' is text.")
        return cls(tuple((level,) if isinstance(level, str) else tuple(level) for level in levels))

    @classmethod
    def from_ranks(cls, ranks: Mapping[str, int | None]) -> Ranking:
        """From each candidate's rank, 1 the best; None is not ranked."""
        return cls.from_pairs(ranks.items())

    @classmethod
    def from_pairs(cls, pairs: Iterable[tuple[str, int | None]]) -> Ranking:
        """From pairs of a candidate and a rank, 1 the best; None is not ranked."""
        ranked: dict[str, int | None] = {}
        for name, rank in pairs:
            if name in ranked:
                raise RankingError(
                    f"'{name}' is ranked twice. Rank each candidate once, or not at all.", name
                )
            ranked[name] = _checked(name, rank)
        levels: dict[int, list[str]] = {}
        for name, rank in ranked.items():
            if rank is not None:
                levels.setdefault(rank, []).append(name)
        return cls(tuple(tuple(levels[rank]) for rank in sorted(levels)))

    @property
    def names(self) -> tuple[str, ...]:
        """Everybody who is ranked, best first."""
        return tuple(name for level in self.levels for name in level)

    @property
    def is_blank(self) -> bool:
        """Whether nobody is ranked."""
        return not self.levels

    def check_candidates(self, candidates: Collection[str]) -> None:
        """Raise RankingError if the ranking contains anyone but these candidates."""
        for name in self.names:
            if name not in candidates:
                known = ", ".join(f"'{each}'" for each in candidates)
                raise RankingError(f"'{name}' is not a candidate. Candidates: {known}.", name)

    def __str__(self) -> str:
        return " > ".join(" = ".join(level) for level in self.levels)


def _checked(name: str, rank: object) -> int | None:
    if rank is None:
        return None
    # True is an int to Python, and no rank to anybody.
    if not isinstance(rank, int) or isinstance(rank, bool) or rank < 1:
        raise RankingError(
            f"The rank of '{name}' is {rank!r}; a rank is 1, 2, 3 … or None for not ranked.", name
        )
    return rank
