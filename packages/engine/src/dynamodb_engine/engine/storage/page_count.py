"""Count how many rows fill a page, without reading them."""

from __future__ import annotations

from typing import TypeAlias

from dynamodb_engine.engine.storage.interface import Execute, RowRange

# The number of rows, the sum of their sizes, and the JSON of the last row if the page is full.
PageCount: TypeAlias = tuple[int, int, bytes | None]

_SAMPLE = 512
_WINDOW = 64


def count_page(execute: Execute, rows: RowRange, page_size: int, limit: int | None) -> PageCount:
    """Count the rows of one page: until their sizes reach `page_size`, the limit, or the end.

    A database adds up sizes many times faster than Python can read rows. Sizes are mostly similar,
    so the end of the page is estimated from the first rows: the database adds up everything before
    it, and only the few rows around it are read. If sizes differ, the estimate is refined.
    """
    sample = _SAMPLE if limit is None else min(limit, _SAMPLE)
    count, size = rows.total(execute, sample)
    if count < sample and size < page_size:
        return count, size, None
    # `low` rows do not fill the page; `high` rows fill it, or are as many as the limit allows.
    low, low_size, high = 0, 0, limit
    if size >= page_size or count == limit:
        high = count
    else:
        low, low_size = count, size
    bisect = False
    while True:
        estimate = _estimate(low, low_size, high, page_size, bisect=bisect)
        bisect = not bisect
        if estimate > low:
            count, size = rows.total(execute, estimate)
            if size >= page_size:
                high = estimate
                continue
            if count < estimate:
                return count, size, None
            low, low_size = count, size
        window = rows.slice(execute, low, _WINDOW)
        for number, (row_size, json) in enumerate(window, low + 1):
            low_size += row_size
            if low_size >= page_size or number == limit:
                return number, low_size, json
        low += len(window)
        if len(window) < _WINDOW:
            return low, low_size, None


def _estimate(low: int, low_size: int, high: int | None, page_size: int, *, bisect: bool) -> int:
    """Return a number of rows slightly below the end of the page, assuming similar sizes."""
    if high is not None and high - low <= _WINDOW:
        return low
    if bisect and high is not None:
        return (low + high) // 2
    average = max(low_size // low, 1) if low else page_size
    estimate = low + (page_size - low_size) // average - _WINDOW // 2
    return max(low, estimate if high is None else min(estimate, high - 1))
