"""Ballots from arrays with a row for each ballot: a million of them without an object each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from singletable_apps.counting.ballots import (
    Ballots,
    Columns,
    RankType,
    checked_candidates,
    counts_of,
    rank_type,
)
from singletable_apps.counting.errors import BallotsRefused, RankingRefused

Rows: TypeAlias = NDArray[np.signedinteger[Any]] | NDArray[np.unsignedinteger[Any]]

# The rows of a block are scattered over a table that stays in the processor's nearest cache.
_BLOCK = 1 << 13


def ballots_of_orders(
    candidates: Sequence[str], rows: Rows, counts: Sequence[int] | None = None
) -> Ballots:
    """From an array whose row n names the candidates of ballot n by number, best first.

    Numbers count from 0 in the order of `candidates`; a negative one is an empty place. `counts`
    are how many ballots each row stands for, above 0; without them it is one.
    """
    names = checked_candidates(candidates)
    _check_table(rows)
    ranks = rank_type(max(len(names), rows.shape[1]))
    if ranks is not rank_type(len(names)):
        raise BallotsRefused(f"{rows.shape[1]} places are too many for {len(names)} candidates.")
    columns = np.empty((len(names), len(rows)), dtype=ranks)
    for first in range(0, len(rows), _BLOCK):
        block = rows[first : first + _BLOCK]
        columns[:, first : first + len(block)] = _scattered(block, names, ranks, first).T
    if counts is not None and min(counts, default=1) < 1:
        raise BallotsRefused(f"A row stands for {min(counts)} ballots; leave out what is not cast.")
    return Ballots(names, columns, None if counts is None else counts_of(counts), strict=True)


def ballots_of_ranks(candidates: Sequence[str], rows: Rows) -> Ballots:
    """From an array whose row n has a rank for each candidate, 1 the best, below 1 not ranked."""
    names = checked_candidates(candidates)
    _check_table(rows)
    if rows.shape[1] != len(names):
        raise BallotsRefused(
            f"A row has {rows.shape[1]} ranks, and there are {len(names)} candidates."
        )
    ranks = rank_type(len(names))
    unranked = np.iinfo(ranks).max
    if rows.size and int(rows.max()) >= unranked:
        rows = _without_gaps(rows)
    columns: Columns = np.ascontiguousarray(rows.T).astype(ranks)
    columns[columns < 1] = unranked
    return Ballots(names, columns)


def _check_table(rows: Rows) -> None:
    if rows.ndim != 2 or rows.dtype.kind not in "iu":
        raise BallotsRefused(
            f"Rows are a table of integers with one row a ballot, and this is an array of "
            f"{rows.dtype} with {rows.ndim} dimensions."
        )


def _scattered(block: Rows, names: Sequence[str], ranks: RankType, first: int) -> Columns:
    """The ranks that a block of orders gives, one row a ballot."""
    size, places = block.shape
    if not block.size:
        return np.full((size, len(names)), np.iinfo(ranks).max, dtype=ranks)
    if int(block.max()) >= len(names):
        _refuse_unknown(block, names, first)
    # Empty places, if there are any, all go to one more column, which is cut off again.
    empty = block < 0 if int(block.min()) < 0 else None
    width = len(names) if empty is None else len(names) + 1
    at = block.astype(np.intp)
    if empty is not None:
        at[empty] = len(names)
    at += np.arange(0, size * width, width, dtype=np.intp)[:, None]
    table = np.full(size * width, np.iinfo(ranks).max, dtype=ranks)
    table[at.ravel()] = np.tile(np.arange(1, places + 1, dtype=ranks), size)
    scattered = table.reshape(size, width)[:, : len(names)]
    named = block.size - (0 if empty is None else np.count_nonzero(empty))
    if np.count_nonzero(scattered != np.iinfo(ranks).max) != named:
        _refuse_twice(block, names, first)
    return scattered


def _refuse_unknown(block: Rows, names: Sequence[str], first: int) -> None:
    row, place = np.argwhere(block >= len(names))[0].tolist()
    raise RankingRefused(
        f"Ballot {first + row} ranks candidate number {int(block[row, place])}; "
        f"there are {len(names)}, numbered from 0."
    )


def _refuse_twice(block: Rows, names: Sequence[str], first: int) -> None:
    listed: list[list[int]] = block.tolist()
    for row, places in enumerate(listed):
        named = [place for place in places if place >= 0]
        for at, place in enumerate(named):
            if place in named[:at]:
                raise RankingRefused(
                    f"Ballot {first + row} ranks '{names[place]}' twice.", names[place]
                )


def _without_gaps(rows: Rows) -> NDArray[np.int64]:
    """The same orders with the ranks 1, 2, 3 …; those that are not ranked stay below 1."""
    order = np.argsort(rows, axis=1, kind="stable")
    sorted_rows = np.take_along_axis(rows, order, axis=1).astype(np.int64)
    sorted_rows[sorted_rows < 1] = 0
    steps = np.diff(sorted_rows, axis=1, prepend=0) != 0
    dense = np.empty(rows.shape, dtype=np.int64)
    np.put_along_axis(dense, order, np.cumsum(steps, axis=1), axis=1)
    return dense
