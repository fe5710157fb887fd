"""Rankings that are alike, counted together."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from singletable_apps.counting.ballots import (
    LARGEST,
    Ballots,
    Columns,
    counts_of,
    whole_numbers,
)
from singletable_apps.counting.ranking import Ranking


def distinct(ballots: Ballots) -> Ballots:
    """The same ballots with one row for each ranking that is on some."""
    if not ballots.rows:
        return ballots
    rows = np.ascontiguousarray(ballots.columns.T)
    keys: NDArray[np.void] = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    columns: Columns = np.ascontiguousarray(ballots.columns[:, first])
    counts = counts_of(_sums(ballots, group, len(first)))
    return Ballots(ballots.candidates, columns, counts, ballots.strict)


def groups(ballots: Ballots) -> list[tuple[Ranking, int]]:
    """Each ranking and on how many ballots it is, the most frequent first, then by its names."""
    alike = distinct(ballots)
    counts = [1] * alike.rows if alike.counts is None else whole_numbers(alike.counts)
    # Ranks with gaps are another row and the same ranking.
    counted: Counter[Ranking] = Counter()
    for row, count in enumerate(counts):
        counted[alike.ranking(row)] += count
    return sorted(counted.items(), key=lambda each: (-each[1], each[0].levels))


def digest(ballots: Ballots) -> str:
    """SHA-256 over the candidates and the rankings with their counts, in an order that is fixed.

    Whoever has the same ballots in any order gets the same digest.
    """
    hashed = sha256()
    for name in ballots.candidates:
        hashed.update(f"candidate {name!r}\n".encode())
    for ranking, count in groups(ballots):
        hashed.update(f"{count} {ranking.levels!r}\n".encode())
    return hashed.hexdigest()


def _sums(ballots: Ballots, group: NDArray[np.intp], size: int) -> list[int]:
    if ballots.counts is None:
        return whole_numbers(np.bincount(group, minlength=size).astype(np.int64))
    if ballots.cast <= LARGEST:
        sums = np.zeros(size, np.int64)
        np.add.at(sums, group, ballots.counts)
        return whole_numbers(sums)
    totals = [0] * size
    for at, count in zip(group.tolist(), whole_numbers(ballots.counts), strict=True):
        totals[at] += count
    return totals
