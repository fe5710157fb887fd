"""A range of rows in key order: iterate it, slice it, and count how many rows fill a page."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, TypeAlias, cast

from msgspec import Struct

from singletable.engine.storage.checksums import DamagedData, RowChecksums
from singletable.engine.storage.connection import Execute

# The number of rows, the sum of their sizes, and the JSON of the last row if the page is full.
PageCount: TypeAlias = tuple[int, int, bytes | None]

_SAMPLE = 512
_WINDOW = 64


class RowRange(Struct, frozen=True):
    """Rows between two bounds; `source` is the SQL after the columns of the SELECT.

    `checksums` verifies the rows; it is None in memory. `partition` is set if the range is in one
    partition, and only then can the order be `descending`.
    """

    source: str
    bindings: tuple[bytes, ...]
    checksums: RowChecksums | None = None
    partition: bytes | None = None
    descending: bool = False

    def rows(self, execute: Execute) -> Iterator[tuple[int, bytes]]:
        """Return the size and JSON of every row, lazily."""
        return self._verify(execute(f"SELECT {self._columns} {self.source}", self.bindings))

    def slice(self, execute: Execute, offset: int, limit: int) -> list[tuple[int, bytes]]:
        """Return the size and JSON of up to `limit` rows from `offset` on."""
        rows = execute(
            f"SELECT {self._columns} {self.source} LIMIT ? OFFSET ?",
            (*self.bindings, limit, offset),
        )
        return list(self._verify(rows))

    def total(self, execute: Execute, limit: int) -> tuple[int, int]:
        """Return the number of rows and the sum of their sizes, up to `limit` rows."""
        ((count, size),) = execute(
            f"SELECT count(*), coalesce(sum(size), 0) FROM (SELECT size {self.source} LIMIT ?)",
            (*self.bindings, limit),
        )
        return check_total(count, size)

    @property
    def _columns(self) -> str:
        if self.checksums is None:
            return "size, item"
        return f"{'partition, ' if self.partition is None else ''}sort, size, item, checksum"

    def _verify(self, rows: Iterator[tuple[Any, ...]]) -> Iterator[tuple[int, bytes]]:
        if self.checksums is None:
            return cast("Iterator[tuple[int, bytes]]", rows)
        if self.partition is None:
            return self.checksums.verify_scan(rows)
        return self.checksums.verify_partition(rows, self.partition, descending=self.descending)


def check_total(count: int, size: object) -> tuple[int, int]:
    """Return both, or raise DamagedData if the sum of sizes, computed by SQLite, is impossible."""
    if not isinstance(size, int) or size < count:
        raise DamagedData("The stored size of an item")
    return count, size


# SQLite seeks to one lower and one upper bound. With two of a kind it may choose the wrong one, and
# read all rows of the pages before this one.


@lru_cache(256)
def partition_source(name: str, *, bounded: bool, exclusive: bool, forward: bool) -> str:
    """Return the SQL for a range of one partition; `exclusive` leaves out the lower bound."""
    low, high = ">" if exclusive else ">=", " AND sort < ?" if bounded else ""
    order = "ASC" if forward else "DESC"
    return f"FROM {name} WHERE partition = ? AND sort {low} ?{high} ORDER BY sort {order}"


@lru_cache(256)
def scan_source(name: str, *, bounded: bool, after: bool) -> str:
    """Return the SQL for a range of partitions, or for the rest of it after a key."""
    low = "(partition, sort) > (?, ?)" if after else "partition >= ?"
    high = " AND partition < ?" if bounded else ""
    return f"FROM {name} WHERE {low}{high} ORDER BY partition, sort"


def count_page(execute: Execute, rows: RowRange, page_size: int, limit: int | None) -> PageCount:
    """Count the rows of one page: until their sizes reach `page_size`, the limit, or the end.

    SQLite adds up sizes many times faster than Python can read rows. Sizes are mostly similar, so
    the end of the page is estimated from the first rows: SQLite adds up everything before it, and
    only the few rows around it are read. If sizes differ, the estimate is refined.
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
