"""A range of rows in key order, in SQLite.

SQLite does not notice a page of an index at the place of another one, which returns rows twice or
in another order. So reads compare each key with the one before.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, cast

from msgspec import Struct

from dynamodb_engine.engine.storage.interface import DescribeRow, Execute, Page, RowKey
from dynamodb_engine.engine.storage.sqlite.checksums import (
    MAX_KEY_IN_PAGE,
    DamagedData,
    row_checksum,
)

_COLUMNS = "partition, sort, size, item, checksum"


class RowCheck(Struct, frozen=True):
    """Verify the rows of one table or index; `seed` starts their checksums."""

    seed: int
    describe: DescribeRow

    def verify(self, partition: bytes, sort: bytes, size: int, item: bytes, checksum: int) -> None:
        """Raise DamagedData if the row does not match its checksum. Short rows have none."""
        try:
            if not checksum and len(partition) + len(sort) <= MAX_KEY_IN_PAGE:
                return
            if checksum == row_checksum(self.seed, partition, sort, size, item):
                return
        except TypeError:  # the type of a stored value has changed
            pass
        raise DamagedData(self.describe(partition, sort))


class SqliteRange(Struct, frozen=True):
    """Rows between two bounds; `source` is the SQL after the columns of the SELECT.

    `check` is None in memory, where no disk can damage rows. `partition` is set if the range is in
    one partition, and only then can the order be `descending`.
    """

    source: str
    bindings: tuple[bytes, ...]
    check: RowCheck | None = None
    partition: bytes | None = None
    descending: bool = False

    def rows(self, execute: Execute) -> Iterator[tuple[int, bytes]]:
        """Return the size and JSON of every row, lazily."""
        columns = "size, item" if self.check is None else _COLUMNS
        return self._verify(execute(f"SELECT {columns} {self.source}", self.bindings))

    def read(self, execute: Execute, page_size: int, limit: int | None) -> Page:
        """Read rows until their sizes reach `page_size`, the limit, or the end."""
        if self.check is not None and self.partition is not None:
            return self._read_verified(execute, page_size, limit, self.partition, self.check)
        entries: list[bytes] = []
        total = 0
        for size, item in self.rows(execute):
            entries.append(item)
            total += size
            if total >= page_size or len(entries) == limit:
                return Page(entries, total, is_full=True)
        return Page(entries, total, is_full=False)

    def _read_verified(
        self,
        execute: Execute,
        page_size: int,
        limit: int | None,
        partition: bytes,
        check: RowCheck,
    ) -> Page:
        """Read rows of one partition; this inlines `_verified` to save a step per row."""
        entries: list[bytes] = []
        total, descending, last = 0, self.descending, None
        longest = MAX_KEY_IN_PAGE - len(partition)
        rows = execute(f"SELECT sort, size, item, checksum {self.source}", self.bindings)
        for sort, size, item, checksum in rows:
            if last is not None and (sort >= last if descending else sort <= last):
                raise DamagedData(check.describe(partition, sort))
            if checksum or len(sort) > longest:
                check.verify(partition, sort, size, item, checksum)
            last = sort
            entries.append(item)
            total += size
            if total >= page_size or len(entries) == limit:
                return Page(entries, total, is_full=True)
        return Page(entries, total, is_full=False)

    def slice(self, execute: Execute, offset: int, limit: int) -> list[tuple[int, bytes]]:
        """Return the size and JSON of up to `limit` rows from `offset` on."""
        columns = "size, item" if self.check is None else _COLUMNS
        rows = execute(
            f"SELECT {columns} {self.source} LIMIT ? OFFSET ?", (*self.bindings, limit, offset)
        )
        return list(self._verify(rows))

    def total(self, execute: Execute, limit: int) -> tuple[int, int]:
        """Return the number of rows and the sum of their sizes, up to `limit` rows."""
        ((count, size),) = execute(
            f"SELECT count(*), coalesce(sum(size), 0) FROM (SELECT size {self.source} LIMIT ?)",
            (*self.bindings, limit),
        )
        return check_total(count, size)

    def _verify(self, rows: Iterator[tuple[Any, ...]]) -> Iterator[tuple[int, bytes]]:
        if self.check is None:
            return cast("Iterator[tuple[int, bytes]]", rows)
        return self._verified(rows, self.check)

    def _verified(
        self, rows: Iterator[tuple[Any, ...]], check: RowCheck
    ) -> Iterator[tuple[int, bytes]]:
        """Yield the size and JSON of rows; raise DamagedData if one is repeated or out of order."""
        last: RowKey | None = None
        for partition, sort, size, item, checksum in rows:
            key = RowKey(partition, sort)
            if last is not None and (key >= last if self.descending else key <= last):
                raise DamagedData(check.describe(partition, sort))
            if checksum or len(partition) + len(sort) > MAX_KEY_IN_PAGE:
                check.verify(partition, sort, size, item, checksum)
            last = key
            yield size, item


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
