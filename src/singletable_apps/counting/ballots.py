"""Ballots as columns of small numbers: one column a candidate, one row a ballot or many alike.

A column holds the candidate's rank on each ballot, as int8 (int16 beyond 126 candidates). The
greatest number of that type stands for "not ranked", so that a comparison of two columns is what
"unranked stand last" means. A million ballots of twenty candidates are twenty million bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from singletable_apps.counting.errors import BallotsRefused
from singletable_apps.counting.ranking import Ranking

Columns: TypeAlias = NDArray[np.int8 | np.int16]
RankType: TypeAlias = type[np.int8 | np.int16]
# Counts that together may not fit 64 bits are Python's own integers.
Counts: TypeAlias = NDArray[np.int64] | NDArray[np.object_]

BLOCK = 1 << 16  # rows at a time: a few columns of a block stay in the processor's cache
LARGEST = 2**63 - 1


@dataclass(frozen=True, eq=False)
class Ballots:
    """Candidates, and a rank for each of them on each row; `counts` is how many ballots a row is.

    Without counts each row is one ballot. `strict` promises that no row ranks two candidates
    level. Make them with ballots_of, ballots_of_groups, ballots_of_orders or ballots_of_ranks.
    """

    candidates: tuple[str, ...]
    columns: Columns
    counts: Counts | None = None
    strict: bool = False

    def __post_init__(self) -> None:
        number = len(checked_candidates(self.candidates))
        if self.columns.ndim != 2 or len(self.columns) != number:
            raise BallotsRefused(
                f"The columns have the shape {self.columns.shape}; {number} candidates make "
                f"({number}, ballots): one column a candidate."
            )
        if self.columns.dtype != rank_type(number):
            raise BallotsRefused(
                f"Ranks of {number} candidates are {rank_type(number).__name__}, and these are "
                f"{self.columns.dtype}. ballots_of_ranks and ballots_of_orders take any integers."
            )
        if self.columns.size and int(self.columns.min()) < 1:
            raise BallotsRefused("A column has a rank below 1; ranks begin with 1.")
        if self.counts is not None and self.counts.shape != (self.rows,):
            raise BallotsRefused(f"There are {len(self.counts)} counts for {self.rows} rows.")

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.columns.shape[1])

    @property
    def unranked(self) -> int:
        """The number that stands for "not ranked"."""
        return int(np.iinfo(self.columns.dtype).max)

    @cached_property
    def cast(self) -> int:
        """How many ballots there are, the blank ones included."""
        return self.rows if self.counts is None else sum(whole_numbers(self.counts))

    @cached_property
    def blank(self) -> int:
        """How many ballots rank nobody."""
        return self.weigh(np.minimum.reduce(self.columns, axis=0) == self.unranked)

    @cached_property
    def is_strict(self) -> bool:
        """Whether no row ranks two candidates level: looked up where it was not promised."""
        return self.strict or not any(
            np.any((self.columns[a] == self.columns[b]) & (self.columns[a] != self.unranked))
            for a in range(len(self.candidates))
            for b in range(a)
        )

    def weigh(self, rows: NDArray[np.bool_]) -> int:
        """How many ballots the rows that are marked stand for."""
        return scale(self.counts)(rows)

    def ranking(self, row: int) -> Ranking:
        """The ranking on a row."""
        ranks = self.columns[:, row].astype(np.int64)
        # Columns may hold any numbers in order; a ranking's begin with 1.
        first = int(ranks.min()) - 1
        return Ranking.of_pairs(
            (name, rank - first)
            for name, rank in zip(self.candidates, whole_numbers(ranks), strict=True)
            if rank != self.unranked
        )


def rank_type(candidates: int) -> RankType:
    """The smallest type that numbers so many ranks and has one number left for "not ranked"."""
    if candidates >= np.iinfo(np.int16).max:
        raise BallotsRefused(
            f"{candidates} candidates are too many; {np.iinfo(np.int16).max - 1} is the most."
        )
    return np.int8 if candidates < np.iinfo(np.int8).max else np.int16


def checked_candidates(candidates: Iterable[str]) -> tuple[str, ...]:
    """The candidates, if there is one and no name comes twice."""
    if isinstance(candidates, str):
        raise BallotsRefused(f"Candidates are a list of names, and '{candidates}' is text.")
    names = tuple(candidates)
    if not names:
        raise BallotsRefused("There are no candidates; name at least one.")
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise BallotsRefused(f"The candidate '{name}' is named twice; name each once.")
        seen.add(name)
    return names


def whole_numbers(numbers: NDArray[np.int64] | NDArray[np.object_]) -> list[int]:
    """The numbers as Python's own integers, which know no largest one."""
    listed: list[int] = numbers.tolist()
    return listed


def scale(counts: Counts | None) -> Callable[[NDArray[np.bool_]], int]:
    """What tells how many ballots the marked rows are, exactly, if these are all rows' counts."""
    if counts is None:
        return lambda marked: int(np.count_nonzero(marked))
    if counts.dtype == np.object_:
        return lambda marked: sum(whole_numbers(counts[marked]))
    several = np.flatnonzero(counts != 1)
    if len(several) > len(counts) // 4:
        return lambda marked: int(np.dot(marked, counts))
    # Marks are counted much faster than numbers are added.
    more = counts[several] - 1
    return lambda marked: int(np.count_nonzero(marked)) + int(np.dot(marked[several], more))


def counts_of(counts: Sequence[int]) -> Counts | None:
    """Counts in the smallest form that is exact: none at all where each is one."""
    if all(count == 1 for count in counts):
        return None
    if sum(counts) > LARGEST:
        return np.array(counts, dtype=np.object_)
    return np.array(counts, dtype=np.int64)
