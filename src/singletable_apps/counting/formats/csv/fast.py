"""Rows of a table, a chunk at a time and no object for each: what a million ballots go through."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from singletable_apps.counting.ballots import Ballots
from singletable_apps.counting.formats.csv.cells import UNCLEAR, Numbers
from singletable_apps.counting.formats.csv.header import Header
from singletable_apps.counting.formats.tokens import (
    LONGEST,
    numbers,
    separators,
    with_line_feeds,
)

# Ranks are put into the bits of one number to see which are there.
_MOST_RANKS = 62
_MOST_PLACES = 126
_LINE = ord("\n")
T = TypeVar("T", bound=np.generic)


@dataclass(frozen=True, slots=True)
class Piece:
    """Ballots of a chunk, and the rows that need a closer look, each with its place in the chunk.

    `skipped` is how many of the ballots leave ranks out, and `first_skipped` is the first's row.
    """

    ballots: Ballots
    skipped: int
    first_skipped: int
    odd: list[tuple[int, list[str]]]


def ranks_piece(chunk: bytes, header: Header, ties: bool, gaps: bool) -> Piece | None:
    """The ballots of rows of rank numbers; None if there is more than numbers and empty cells.

    Rows with ties or gaps need a closer look unless `ties` and `gaps` are fine.
    """
    data, ends = separators(with_line_feeds(chunk))
    parsed = numbers(data, ends) if _is_table(data[ends], header) else None
    if parsed is None:
        return None
    values, lengths = (each.reshape(-1, header.width) for each in parsed)
    if header.count is not None and not lengths[:, header.count].all():
        return None
    ranks = _candidates(values, list(header.candidates.values()))
    if int(ranks.max()) > _MOST_RANKS:
        return None
    there = np.bitwise_or.reduce(np.left_shift(np.int64(1), ranks), axis=1) & ~1
    tied = np.bitwise_count(there) != np.count_nonzero(ranks, axis=1)
    skipped = there + 2 != np.left_shift(np.int64(2), ranks.max(axis=1))
    counts = None if header.count is None else values[:, header.count].astype(np.int64)
    odd = _odd(counts, (tied & (not ties)) | (skipped & (not gaps)))
    kept = Ballots.from_ranks(tuple(header.candidates), _without(ranks, odd))
    listed = [(row, list(map(str, values[row].tolist()))) for row in np.flatnonzero(odd).tolist()]
    return _piece(replace(kept, strict=not (tied & ~odd).any()), counts, skipped, odd, listed)


def names_piece(chunk: bytes, header: Header, known: Numbers, gaps: bool) -> Piece | None:
    """The ballots of rows of names; None if the rows do not have the cells of the header.

    Rows with words for too many names, repeats, or gaps unless those are fine, are looked at.
    """
    chunk = with_line_feeds(chunk)
    data = np.frombuffer(chunk, np.uint8)
    delimiter = header.delimiter.encode()
    # So few candidates have no numbers for so many places.
    if not _is_table(data[(data == ord(delimiter)) | (data == _LINE)], header) or (
        len(header.ranks) > _MOST_PLACES
    ):
        return None
    cells = chunk[:-1].replace(b"\n", delimiter).split(delimiter)
    rows = len(cells) // header.width
    counts = None
    if header.count is not None:
        counted = cells[header.count :: header.width]
        if not all(cell.isdigit() and len(cell) <= LONGEST for cell in counted):
            return None
        counts = np.fromiter(map(int, counted), np.int64, rows)
    orders = np.empty((rows, len(header.ranks)), np.int16)
    for place, column in enumerate(header.ranks):
        found = map(known.__getitem__, cells[column :: header.width])
        orders[:, place] = np.fromiter(found, np.int16, rows)
    if not known.names():
        return None
    skipped = _gaps(orders)
    odd = _odd(counts, _unclear(orders) | (skipped & (not gaps)))
    ballots = Ballots.from_orders(known.names(), _without(orders, odd))
    listed = [
        (row, [cell.decode() for cell in cells[row * header.width : (row + 1) * header.width]])
        for row in np.flatnonzero(odd).tolist()
    ]
    return _piece(ballots, counts, skipped, odd, listed)


def _candidates(
    values: NDArray[np.int16 | np.int64], columns: list[int]
) -> NDArray[np.int16 | np.int64]:
    """The columns of candidates, without a copy where they stand side by side."""
    if columns == list(range(columns[0], columns[-1] + 1)):
        return values[:, columns[0] : columns[-1] + 1]
    return values[:, columns]


def _gaps(orders: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Rows with a place that is empty before one that is not."""
    empty = orders < 0
    gaps: NDArray[np.bool_] = np.any(empty[:, :-1] & ~empty[:, 1:], axis=1)
    return gaps


def _unclear(orders: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Rows that name somebody twice, or have a word for too many names."""
    in_order = np.sort(orders, axis=1)
    twice = (in_order[:, 1:] == in_order[:, :-1]) & (in_order[:, 1:] >= 0)
    unclear: NDArray[np.bool_] = np.any(twice, axis=1) | np.any(orders == UNCLEAR, axis=1)
    return unclear


def _odd(counts: NDArray[np.int64] | None, odd: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Rows that need a closer look; so do those that stand for no ballot at all."""
    return odd if counts is None else odd | (counts == 0)


def _without(rows: NDArray[T], odd: NDArray[np.bool_]) -> NDArray[T]:
    return rows[~odd] if odd.any() else rows


def _piece(
    ballots: Ballots,
    counts: NDArray[np.int64] | None,
    skipped: NDArray[np.bool_],
    odd: NDArray[np.bool_],
    listed: list[tuple[int, list[str]]],
) -> Piece:
    first = int((skipped & ~odd).argmax())
    if counts is not None:
        counts = _without(counts, odd)
        ballots = ballots if (counts == 1).all() else replace(ballots, counts=counts)
    return Piece(ballots, ballots.count_rows(_without(skipped, odd)), first, listed)


def _is_table(kinds: NDArray[np.uint8], header: Header) -> bool:
    """Whether each row has as many cells as the header, going by what stands between them."""
    # An empty line is no row; in a table of one column it would look like one.
    if header.width == 1 or len(kinds) % header.width:
        return False
    rows = kinds.reshape(-1, header.width)
    return bool((rows[:, -1] == _LINE).all() and (rows[:, :-1] == ord(header.delimiter)).all())
