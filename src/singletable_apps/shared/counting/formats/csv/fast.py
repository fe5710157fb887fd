"""Rows of a table, a chunk at a time and no object for each: what a million ballots go through."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from singletable_apps.shared.counting.ballots import Ballots
from singletable_apps.shared.counting.formats.csv.cells import UNCLEAR, Numbers
from singletable_apps.shared.counting.formats.csv.header import Header
from singletable_apps.shared.counting.formats.tokens import numbers, separators
from singletable_apps.shared.counting.rows import ballots_of_orders, ballots_of_ranks

# Ranks are put into the bits of one number to see which are there.
_MOST_RANKS = 62
_LINE = ord("\n")


@dataclass(frozen=True, slots=True)
class Piece:
    """Ballots, the marks of ranks that were skipped among them, and the row where they begin."""

    ballots: Ballots
    skipped: int
    first_skipped: int


def ranks_piece(chunk: bytes, header: Header, ties: bool, gaps: bool) -> Piece | None:
    """The ballots of rows of rank numbers; None if a row needs a closer look.

    That is anything but numbers and empty cells, and ties or gaps where rules are about them.
    """
    data, ends = separators(chunk.replace(b"\r\n", b"\n"))
    if not _is_table(data[ends], header):
        return None
    parsed = numbers(data, ends)
    if parsed is None:
        return None
    values = parsed[0].reshape(-1, header.width)
    counts = None if header.count is None else values[:, header.count]
    if header.count is not None and not parsed[1].reshape(values.shape)[:, header.count].all():
        return None
    ranks = np.ascontiguousarray(values[:, list(header.candidates.values())])
    if int(ranks.max()) > _MOST_RANKS:
        return None
    there = np.bitwise_or.reduce(np.left_shift(1, ranks), axis=1) & ~1
    levels = np.bitwise_count(there)
    strict = bool((levels == np.count_nonzero(ranks, axis=1)).all())
    skipped = there + 2 != np.left_shift(2, ranks.max(axis=1))
    if (not strict and not ties) or (not gaps and skipped.any()):
        return None
    ballots = replace(ballots_of_ranks(tuple(header.candidates), ranks), strict=strict)
    return _piece(ballots, counts, skipped)


def names_piece(chunk: bytes, header: Header, known: Numbers) -> Piece | None:
    """The ballots of rows of names; None if a row needs a closer look."""
    chunk = chunk.replace(b"\r\n", b"\n")
    data = np.frombuffer(chunk, np.uint8)
    delimiter = ord(header.delimiter)
    kinds = data[(data == delimiter) | (data == _LINE)]
    if not _is_table(kinds, header):
        return None
    cells = chunk[:-1].replace(b"\n", header.delimiter.encode()).split(header.delimiter.encode())
    rows = len(cells) // header.width
    counts = None
    if header.count is not None:
        counted = cells[header.count :: header.width]
        if not all(cell.isdigit() and len(cell) <= 18 for cell in counted):
            return None
        counts = np.fromiter(map(int, counted), np.int64, rows)
    orders = np.empty((rows, len(header.ranks)), np.int16)
    for place, column in enumerate(header.ranks):
        orders[:, place] = np.fromiter(
            map(known.__getitem__, cells[column :: header.width]), np.int16, rows
        )
    names = known.names()
    # The columns of so few candidates have no numbers for so many places.
    if (orders == UNCLEAR).any() or not names or len(header.ranks) > 126:
        return None
    return _orders_piece(orders, counts, names)


def _orders_piece(
    orders: NDArray[np.int16], counts: NDArray[np.int64] | None, names: tuple[str, ...]
) -> Piece | None:
    empty = orders < 0
    # A place that is empty before one that is not: marks after the first gap.
    skipped: NDArray[np.bool_] = np.any(empty[:, :-1] & ~empty[:, 1:], axis=1)
    in_order = np.sort(orders, axis=1)
    if ((in_order[:, 1:] == in_order[:, :-1]) & (in_order[:, 1:] >= 0)).any():
        return None
    return _piece(ballots_of_orders(names, orders), counts, skipped)


def _piece(
    ballots: Ballots, counts: NDArray[np.int64] | None, skipped: NDArray[np.bool_]
) -> Piece | None:
    first = int(skipped.argmax()) if skipped.any() else 0
    if counts is None:
        return Piece(ballots, int(np.count_nonzero(skipped)), first)
    if not counts.all():
        return None
    weighed = ballots if (counts == 1).all() else replace(ballots, counts=counts)
    return Piece(weighed, weighed.weigh(skipped), first)


def _is_table(kinds: NDArray[np.uint8], header: Header) -> bool:
    """Whether each row has as many cells as the header, going by what stands between them."""
    # An empty line is no row; in a table of one column it would look like one.
    if header.width == 1 or len(kinds) % header.width:
        return False
    rows = kinds.reshape(-1, header.width)
    return bool((rows[:, -1] == _LINE).all() and (rows[:, :-1] == ord(header.delimiter)).all())
