"""Ballots that came in pieces become one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from singletable_apps.counting.ballots import (
    MAX_INT64,
    Ballots,
    Columns,
    Counts,
    rank_type,
    to_ints,
    validate_candidates,
)
from singletable_apps.counting.errors import FormatError

# A file of a few hundred kilobytes can ask for more memory than there is: names times ballots.
_MOST_CELLS = 1 << 32


def joined(candidates: Sequence[str], pieces: list[Ballots]) -> Ballots:
    """All ballots of the pieces, which are taken; a piece may know only the first candidates."""
    ranks = rank_type(len(candidates))
    names = validate_candidates(candidates)
    rows = sum(piece.rows for piece in pieces)
    if len(names) * rows > _MOST_CELLS:
        raise FormatError(
            f"{rows:,} different ballots of {len(names):,} candidates are too many to hold; "
            f"candidates times ballots may be {_MOST_CELLS:,}."
        )
    counts = _counts(pieces)
    strict = all(piece.strict for piece in pieces)
    columns: Columns = np.full((len(names), rows), np.iinfo(ranks).max, dtype=ranks)
    first = 0
    # The first piece goes first, so that no more than one piece is in memory twice.
    pieces.reverse()
    while pieces:
        piece = pieces.pop()
        part = columns[: len(piece.candidates), first : first + piece.rows]
        part[:] = piece.columns
        if piece.columns.dtype != ranks:
            part[piece.columns == piece.unranked] = np.iinfo(ranks).max
        first += piece.rows
    return Ballots(names, columns, counts, strict)


def _counts(pieces: Sequence[Ballots]) -> Counts | None:
    if all(piece.counts is None for piece in pieces):
        return None
    parts = [
        np.ones(piece.rows, np.int64) if piece.counts is None else piece.counts for piece in pieces
    ]
    if sum(piece.cast for piece in pieces) <= MAX_INT64:
        return np.concatenate([part.astype(np.int64) for part in parts])
    listed = [count for part in parts for count in to_ints(part)]
    return np.array(listed, dtype=np.object_)
