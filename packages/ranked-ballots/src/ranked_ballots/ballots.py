"""Ballots as columns of small integers: one column per candidate, one row per ballot or group.

A column contains the candidate's rank on each ballot, as int8 (int16 beyond 126 candidates). The
largest value of that type means "not ranked", so comparing two columns already treats unranked
candidates as last. A million ballots with twenty candidates take twenty million bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ranked_ballots.errors import BallotsError, RankingError
from ranked_ballots.ranking import Ranking

Columns: TypeAlias = NDArray[np.int8 | np.int16]
RankType: TypeAlias = type[np.int8 | np.int16]
Rows: TypeAlias = NDArray[np.signedinteger[Any]] | NDArray[np.unsignedinteger[Any]]
# Counts whose sum may not fit 64 bits are Python integers.
Counts: TypeAlias = NDArray[np.int64] | NDArray[np.object_]

BLOCK = 1 << 16  # rows per block: a few columns of a block stay in the processor's cache
MAX_INT64 = 2**63 - 1
# The rows of a block are scattered over a table that stays in the processor's nearest cache.
_SCATTER_BLOCK = 1 << 13


@dataclass(frozen=True, eq=False)
class Ballots:
    """Candidates, and the rank of each on every row.

    `counts` is how many ballots each row stands for; without it, every row is one ballot.
    `strict` promises that no row ranks two candidates equally. Create ballots with from_rankings,
    from_counts, from_orders or from_ranks.
    """

    candidates: tuple[str, ...]
    columns: Columns
    counts: Counts | None = None
    strict: bool = False

    def __post_init__(self) -> None:
        number = len(validate_candidates(self.candidates))
        if self.columns.ndim != 2 or len(self.columns) != number:
            raise BallotsError(
                f"The columns have the shape {self.columns.shape}; expected ({number}, ballots), "
                f"one column for each of {number} candidates."
            )
        if self.columns.dtype != rank_type(number):
            raise BallotsError(
                f"Ranks of {number} candidates must be {rank_type(number).__name__}, not "
                f"{self.columns.dtype}. Ballots.from_ranks and Ballots.from_orders accept any "
                "integers."
            )
        if self.columns.size and int(self.columns.min()) < 1:
            raise BallotsError("A column contains a rank below 1; ranks start at 1.")
        if self.counts is not None and self.counts.shape != (self.rows,):
            raise BallotsError(f"There are {len(self.counts)} counts for {self.rows} rows.")

    @classmethod
    def from_rankings(cls, candidates: Sequence[str], rankings: Iterable[Ranking]) -> Ballots:
        """Create ballots from rankings, one per ballot. Equal rankings share a row."""
        return cls.from_counts(candidates, Counter(rankings).items())

    @classmethod
    def from_counts(
        cls, candidates: Sequence[str], rankings: Iterable[tuple[Ranking, int]]
    ) -> Ballots:
        """Create ballots from rankings, each with the number of ballots that have it."""
        number = {name: at for at, name in enumerate(validate_candidates(candidates))}
        totals: Counter[Ranking] = Counter()
        for ranking, count in rankings:
            ranking.check_candidates(number)
            totals[ranking] += validate_count(ranking, count)
        kept = [(ranking, count) for ranking, count in totals.items() if count]
        ranks = rank_type(len(number))
        columns = np.full((len(number), len(kept)), np.iinfo(ranks).max, dtype=ranks)
        for row, (ranking, _) in enumerate(kept):
            for rank, level in enumerate(ranking.levels, start=1):
                for name in level:
                    columns[number[name], row] = rank
        strict = all(len(level) == 1 for ranking, _ in kept for level in ranking.levels)
        return cls(tuple(number), columns, pack_counts([count for _, count in kept]), strict)

    @classmethod
    def from_orders(
        cls, candidates: Sequence[str], rows: Rows, counts: Sequence[int] | None = None
    ) -> Ballots:
        """Create ballots from rows of candidates by number, best first.

        Numbers start at 0, in the order of `candidates`; a negative number is an empty position.
        `counts` is how many ballots each row stands for, at least 1; the default is one each.
        """
        names = validate_candidates(candidates)
        _check_table(rows)
        ranks = rank_type(max(len(names), rows.shape[1]))
        if ranks is not rank_type(len(names)):
            raise BallotsError(
                f"{rows.shape[1]} positions are too many for {len(names)} candidates."
            )
        columns = np.empty((len(names), len(rows)), dtype=ranks)
        for first in range(0, len(rows), _SCATTER_BLOCK):
            block = rows[first : first + _SCATTER_BLOCK]
            columns[:, first : first + len(block)] = _orders_to_ranks(block, names, ranks, first).T
        if counts is not None and min(counts, default=1) < 1:
            raise BallotsError(
                f"A row has the count {min(counts)}; omit rows that no ballot was cast for."
            )
        return cls(names, columns, None if counts is None else pack_counts(counts), strict=True)

    @classmethod
    def from_ranks(cls, candidates: Sequence[str], rows: Rows) -> Ballots:
        """Create ballots from rows with each candidate's rank.

        1 is the best rank; below 1 is not ranked.
        """
        names = validate_candidates(candidates)
        _check_table(rows)
        if rows.shape[1] != len(names):
            raise BallotsError(f"A row has {rows.shape[1]} ranks for {len(names)} candidates.")
        ranks = rank_type(len(names))
        unranked = np.iinfo(ranks).max
        if rows.size and int(rows.max()) >= unranked:
            rows = _close_gaps(rows)
        columns: Columns = np.ascontiguousarray(rows.T).astype(ranks)
        columns[columns < 1] = unranked
        return cls(names, columns)

    @property
    def rows(self) -> int:
        """Return the number of rows."""
        return int(self.columns.shape[1])

    @property
    def unranked(self) -> int:
        """Return the value that means "not ranked" in the columns."""
        return int(np.iinfo(self.columns.dtype).max)

    @cached_property
    def cast(self) -> int:
        """Return the number of ballots, including blank ones."""
        return self.rows if self.counts is None else sum(to_ints(self.counts))

    @cached_property
    def blank(self) -> int:
        """Return the number of ballots that rank nobody."""
        return self.count_rows(np.minimum.reduce(self.columns, axis=0) == self.unranked)

    @cached_property
    def is_strict(self) -> bool:
        """Return whether no row ranks two candidates equally; checks unless `strict` says so."""
        return self.strict or not any(
            np.any((self.columns[a] == self.columns[b]) & (self.columns[a] != self.unranked))
            for a in range(len(self.candidates))
            for b in range(a)
        )

    def count_rows(self, mask: NDArray[np.bool_]) -> int:
        """Return how many ballots the rows selected by `mask` stand for."""
        return row_counter(self.counts)(mask)

    def ranking(self, row: int) -> Ranking:
        """Return the ranking on a row."""
        ranks = self.columns[:, row].astype(np.int64)
        # Columns may contain any increasing numbers; the ranks of a ranking start at 1.
        first = int(ranks.min()) - 1
        return Ranking.from_pairs(
            (name, rank - first)
            for name, rank in zip(self.candidates, to_ints(ranks), strict=True)
            if rank != self.unranked
        )

    def ranking_counts(self) -> list[tuple[Ranking, int]]:
        """Return each ranking and its number of ballots, most frequent first, then by name."""
        compact = self.compact()
        counts = [1] * compact.rows if compact.counts is None else to_ints(compact.counts)
        # Ranks with gaps make a different row and the same ranking.
        totals: Counter[Ranking] = Counter()
        for row, count in enumerate(counts):
            totals[compact.ranking(row)] += count
        return sorted(totals.items(), key=lambda entry: (-entry[1], entry[0].levels))

    def compact(self) -> Ballots:
        """Return the same ballots with one row for each distinct row."""
        if not self.rows:
            return self
        rows = np.ascontiguousarray(self.columns.T)
        row_bytes = np.dtype((np.void, rows.itemsize * rows.shape[1]))
        keys: NDArray[np.void] = rows.view(row_bytes).ravel()
        _, first, group = np.unique(keys, return_index=True, return_inverse=True)
        columns: Columns = np.ascontiguousarray(self.columns[:, first])
        counts = pack_counts(_sum_groups(self, group, len(first)))
        return Ballots(self.candidates, columns, counts, self.strict)

    def digest(self) -> str:
        """Return the SHA-256 of the candidates and the rankings with their counts.

        The same ballots in any order have the same digest.
        """
        digest = sha256()
        for name in self.candidates:
            digest.update(f"candidate {name!r}\n".encode())
        for ranking, count in self.ranking_counts():
            digest.update(f"{count} {ranking.levels!r}\n".encode())
        return digest.hexdigest()


def rank_type(candidates: int) -> RankType:
    """Return the smallest integer type for that many ranks and a value for "not ranked"."""
    if candidates >= np.iinfo(np.int16).max:
        raise BallotsError(
            f"{candidates} candidates are too many; the maximum is {np.iinfo(np.int16).max - 1}."
        )
    return np.int8 if candidates < np.iinfo(np.int8).max else np.int16


def validate_candidates(candidates: Iterable[str]) -> tuple[str, ...]:
    """Return the candidates as a tuple; raise unless there is at least one and all differ."""
    if isinstance(candidates, str):
        raise BallotsError(f"Candidates must be a list of names, not the text '{candidates}'.")
    names = tuple(candidates)
    if not names:
        raise BallotsError("There are no candidates; name at least one.")
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise BallotsError(f"The candidate '{name}' is listed twice; list each name once.")
        seen.add(name)
    return names


def validate_count(ranking: Ranking, count: object) -> int:
    """Return the count; raise unless it is a whole number of ballots."""
    if not isinstance(count, int) or isinstance(count, bool) or count < 0:
        raise BallotsError(f"The count of the ranking '{ranking}' is {count!r}; expected 0, 1, 2 …")
    return count


def to_ints(numbers: NDArray[np.int64] | NDArray[np.object_]) -> list[int]:
    """Return the numbers as Python integers, which cannot overflow."""
    integers: list[int] = numbers.tolist()
    return integers


def row_counter(counts: Counts | None) -> Callable[[NDArray[np.bool_]], int]:
    """Return a function that sums the counts of the rows a mask selects, exactly."""
    if counts is None:
        return lambda mask: int(np.count_nonzero(mask))
    if counts.dtype == np.object_:
        return lambda mask: sum(to_ints(counts[mask]))
    several = np.flatnonzero(counts != 1)
    if len(several) > len(counts) // 4:
        return lambda mask: int(np.dot(mask, counts))
    # Counting a mask is much faster than adding numbers.
    more = counts[several] - 1
    return lambda mask: int(np.count_nonzero(mask)) + int(np.dot(mask[several], more))


def pack_counts(counts: Sequence[int]) -> Counts | None:
    """Return counts in the smallest exact form: None where every count is one."""
    if all(count == 1 for count in counts):
        return None
    if sum(counts) > MAX_INT64:
        return np.array(counts, dtype=np.object_)
    return np.array(counts, dtype=np.int64)


def _check_table(rows: Rows) -> None:
    if rows.ndim != 2 or rows.dtype.kind not in "iu":
        raise BallotsError(
            "Expected a two-dimensional array of integers with one row per ballot, got "
            f"{rows.dtype} with {rows.ndim} dimensions."
        )


def _orders_to_ranks(block: Rows, names: Sequence[str], ranks: RankType, first: int) -> Columns:
    """Return the ranks that a block of orders gives, one row per ballot."""
    size, positions = block.shape
    if not block.size:
        return np.full((size, len(names)), np.iinfo(ranks).max, dtype=ranks)
    if int(block.max()) >= len(names):
        _raise_unknown_candidate(block, names, first)
    # Empty positions, if any, all go to one extra column, which is cut off afterwards.
    empty = block < 0 if int(block.min()) < 0 else None
    width = len(names) if empty is None else len(names) + 1
    at = block.astype(np.intp)
    if empty is not None:
        at[empty] = len(names)
    at += np.arange(0, size * width, width, dtype=np.intp)[:, None]
    table = np.full(size * width, np.iinfo(ranks).max, dtype=ranks)
    table[at.ravel()] = np.tile(np.arange(1, positions + 1, dtype=ranks), size)
    scattered = table.reshape(size, width)[:, : len(names)]
    named = block.size - (0 if empty is None else np.count_nonzero(empty))
    if np.count_nonzero(scattered != np.iinfo(ranks).max) != named:
        _raise_repeated_candidate(block, names, first)
    return scattered


def _raise_unknown_candidate(block: Rows, names: Sequence[str], first: int) -> None:
    row, position = np.argwhere(block >= len(names))[0].tolist()
    raise RankingError(
        f"Ballot {first + row} ranks candidate number {int(block[row, position])}; "
        f"there are {len(names)}, numbered from 0."
    )


def _raise_repeated_candidate(block: Rows, names: Sequence[str], first: int) -> None:
    orders: list[list[int]] = block.tolist()
    for row, order in enumerate(orders):
        named = [candidate for candidate in order if candidate >= 0]
        for at, candidate in enumerate(named):
            if candidate in named[:at]:
                raise RankingError(
                    f"Ballot {first + row} ranks '{names[candidate]}' twice.", names[candidate]
                )


def _close_gaps(rows: Rows) -> NDArray[np.int64]:
    """Return the same orders with the ranks 1, 2, 3 …; unranked candidates stay below 1."""
    order = np.argsort(rows, axis=1, kind="stable")
    sorted_rows = np.take_along_axis(rows, order, axis=1).astype(np.int64)
    sorted_rows[sorted_rows < 1] = 0
    steps = np.diff(sorted_rows, axis=1, prepend=0) != 0
    dense = np.empty(rows.shape, dtype=np.int64)
    np.put_along_axis(dense, order, np.cumsum(steps, axis=1), axis=1)
    return dense


def _sum_groups(ballots: Ballots, group: NDArray[np.intp], size: int) -> list[int]:
    if ballots.counts is None:
        return to_ints(np.bincount(group, minlength=size).astype(np.int64))
    if ballots.cast <= MAX_INT64:
        sums = np.zeros(size, np.int64)
        np.add.at(sums, group, ballots.counts)
        return to_ints(sums)
    totals = [0] * size
    for at, count in zip(group.tolist(), to_ints(ballots.counts), strict=True):
        totals[at] += count
    return totals
