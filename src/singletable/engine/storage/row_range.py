"""A range of rows in key order: read it, slice it, and count how many rows fill a page."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from operator import gt, itemgetter, lt
from typing import Any, TypeAlias, cast

from msgspec import Struct

from singletable.engine.storage.checksums import DamagedData, RowChecksums
from singletable.engine.storage.connection import Execute

# The number of rows, the sum of their sizes, and the JSON of the last row if the page is full.
PageCount: TypeAlias = tuple[int, int, bytes | None]
# The sizes and the JSON of some rows.
Batch: TypeAlias = tuple[tuple[int, ...], tuple[bytes, ...]]

# Rows are read and verified in batches. Items may be large, so the first batch is small.
_FIRST_BATCH = 4
_BATCH = 32
_SAMPLE = 512
_WINDOW = 64


class RowRange(Struct, frozen=True):
    """Rows between two bounds; `source` is the SQL after the columns of the SELECT.

    `checksums` verifies the rows, if they have checksums. If all of them are in one partition, this
    is `partition`; they may be in `descending` order.
    """

    source: str
    bindings: tuple[bytes, ...]
    checksums: RowChecksums | None = None
    partition: bytes | None = None
    descending: bool = False

    def batches(self, execute: Execute, limit: int | None = None) -> Iterator[Batch]:
        """Yield the sizes and the JSON of up to `limit` rows, some rows at a time."""
        rows = execute(f"SELECT {self._columns} {self.source}", self.bindings)
        rows, count = rows if limit is None else islice(rows, limit), _FIRST_BATCH
        last: list[Any] = []
        while batch := list(islice(rows, count)):
            columns = self._verify(batch)
            if self.checksums is not None:
                last = self._check_order(last, batch)
            yield columns
            count = _BATCH

    def slice(self, execute: Execute, offset: int, limit: int) -> list[tuple[int, bytes]]:
        """Return the size and JSON of up to `limit` rows from `offset` on."""
        rows = execute(
            f"SELECT {self._columns} {self.source} LIMIT ? OFFSET ?",
            (*self.bindings, limit, offset),
        )
        selected = list(rows)
        return list(zip(*self._verify(selected), strict=True)) if selected else []

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

    def _verify(self, rows: list[tuple[Any, ...]]) -> Batch:
        """Return the sizes and the JSON of selected rows; raise DamagedData if one is damaged."""
        columns: tuple[Any, ...] = tuple(zip(*rows, strict=True))
        if self.checksums is not None:
            if self.partition is not None:
                columns = ((self.partition,) * len(rows), *columns)
            self.checksums.check_all(*columns)
            columns = columns[2:4]
        return cast(Batch, columns)

    def _check_order(self, last: list[Any], rows: list[tuple[Any, ...]]) -> list[Any]:
        """Return the last key; raise DamagedData if keys are not in order, or one is repeated.

        Each row is intact, but a damaged SQLite index may lead to it at a wrong time, or twice.
        """
        get_key = itemgetter(0, 1) if self.partition is None else itemgetter(0)
        keys = [*last, *map(get_key, rows)]
        if self.checksums is not None and not all(
            map(gt if self.descending else lt, keys, keys[1:])
        ):
            raise DamagedData(f"The order of the items in {self.checksums.label}")
        return keys[-1:]


def check_total(count: int, size: object) -> tuple[int, int]:
    """Return a number of rows and the sum of their sizes, which SQLite added up unverified."""
    if not isinstance(size, int) or size < count:
        raise DamagedData("The sizes of items")
    return count, size


@lru_cache(256)
def partition_source(name: str, *, bounded: bool, after: bool, forward: bool) -> str:
    """Return the SQL for a range of one partition."""
    above = " AND sort < ?" if bounded else ""
    beyond = (" AND sort > ?" if forward else " AND sort < ?") if after else ""
    order = "ASC" if forward else "DESC"
    return f"FROM {name} WHERE partition = ? AND sort >= ?{above}{beyond} ORDER BY sort {order}"


@lru_cache(256)
def scan_source(name: str, *, bounded: bool, after: bool) -> str:
    """Return the SQL for a range of partitions."""
    above = " AND partition < ?" if bounded else ""
    beyond = " AND (partition, sort) > (?, ?)" if after else ""
    return f"FROM {name} WHERE partition >= ?{above}{beyond} ORDER BY partition, sort"


def read_page(
    execute: Execute, rows: RowRange, page_size: int, limit: int | None
) -> tuple[list[bytes], int, bool]:
    """Return the JSON of the rows of one page, the sum of their sizes, and whether it is full."""
    page: list[bytes] = []
    size = 0
    for sizes, items in rows.batches(execute, limit):
        if size + sum(sizes) < page_size:
            page += items
            size += sum(sizes)
        else:
            for row_size, json in zip(sizes, items, strict=True):
                page.append(json)
                size += row_size
                if size >= page_size:
                    return page, size, True
        if len(page) == limit:
            return page, size, True
    return page, size, False


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
