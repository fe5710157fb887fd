"""Orders of a PrefLib file, a chunk at a time and no object for each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from singletable_apps.counting.ballots import Ballots, rank_type
from singletable_apps.counting.formats.table import Format
from singletable_apps.counting.formats.tokens import numbers, separators, with_line_feeds

_COLON, _COMMA, _LINE, _OPEN, _CLOSE = (ord(mark) for mark in ":,\n{}")


def ballots_of_chunk(chunk: bytes, candidates: tuple[str, ...], form: Format) -> Ballots | None:
    """The ballots of a chunk; None if a line is anything but `count: 3,{1,2}`, and right.

    Whoever gets None reads the chunk line by line, and finds what is wrong and where.
    """
    chunk = with_line_feeds(chunk).replace(b": ", b":").replace(b", ", b",")
    data, ends = separators(chunk)
    kinds = data[ends]
    parsed = numbers(data, ends)
    if parsed is None:
        return None
    values, filled = parsed[0], parsed[1] > 0
    ties = b"{" in chunk or b"}" in chunk
    depth = _depth(kinds) if ties else np.zeros(1, np.int8)
    if (ties and not form.ties) or not _is_in_order(kinds, filled, depth):
        return None
    colon, last = kinds == _COLON, kinds == _LINE
    # A comma outside of braces begins the next level.
    step = (kinds == _COMMA) & (depth == 0)
    steps = np.cumsum(step, dtype=np.int32)
    row = np.cumsum(last, dtype=np.int32) - last
    level = steps - step - steps[colon][row] + 1
    ranked = filled & ~colon
    counts = values[colon].astype(np.int64)
    columns = _columns(values[ranked] - 1, row[ranked], level[ranked], candidates, len(counts))
    if columns is None or not counts.all():
        return None
    if not form.partial and int(np.bincount(row[ranked]).min()) < len(candidates):
        return None
    alone = bool((counts == 1).all())
    return Ballots(candidates, columns, None if alone else counts, not ties)


def _is_in_order(
    kinds: NDArray[np.uint8], filled: NDArray[np.bool_], depth: NDArray[np.int8]
) -> bool:
    """Whether marks and numbers follow each other as on lines that are right.

    `depth` is shorter than `kinds` where no brace is.
    """
    colon, comma, last = kinds == _COLON, kinds == _COMMA, kinds == _LINE
    # The first mark on each line is a colon, and there is no other colon.
    if not colon[0] or not np.array_equal(colon[1:], last[:-1]):
        return False
    if len(depth) < len(kinds):
        return bool(filled.all() and (colon | comma | last).all())
    opened, closed = kinds == _OPEN, kinds == _CLOSE
    after = np.zeros_like(closed)
    after[1:] = closed[:-1]
    return bool(
        (colon | comma | last | opened | closed).all()
        # A brace opens after a colon or a comma, and a comma or the line's end follows its close.
        and (colon | comma)[:-1][opened[1:]].all()
        and (comma | last)[1:][closed[:-1]].all()
        and ((depth == 0) | (depth == 1)).all()
        and not depth[colon | last].any()
        # There is a number before each mark, but none before a brace opens or after it closes.
        and np.array_equal(filled, ~(opened | after))
    )


def _depth(kinds: NDArray[np.uint8]) -> NDArray[np.int8]:
    """How many braces are open after each mark."""
    step = (kinds == _OPEN).astype(np.int8) - (kinds == _CLOSE).astype(np.int8)
    return np.cumsum(step, dtype=np.int8)


def _columns(
    ranked: NDArray[np.int16 | np.int64],
    row: NDArray[np.int32],
    level: NDArray[np.int32],
    candidates: tuple[str, ...],
    rows: int,
) -> NDArray[np.int8 | np.int16] | None:
    width = len(candidates)
    if int(ranked.min()) < 0 or int(ranked.max()) >= width or int(level.max()) > width:
        return None
    ranks = rank_type(width)
    columns: NDArray[np.int8 | np.int16] = np.full((width, rows), np.iinfo(ranks).max, ranks)
    columns[ranked, row] = level
    # A candidate who is ranked twice on a line fills one place and not two.
    if np.count_nonzero(columns != np.iinfo(ranks).max) != len(ranked):
        return None
    return columns
