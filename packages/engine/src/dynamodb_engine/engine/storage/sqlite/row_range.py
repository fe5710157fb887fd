"""A range of rows in key order, in SQLite."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, cast

from msgspec import Struct

from dynamodb_engine.engine.storage.interface import Execute
from dynamodb_engine.engine.storage.sqlite.checksums import DamagedData, RowChecksums


class SqliteRange(Struct, frozen=True):
    """Rows between two bounds; `source` is the SQL after the columns of the SELECT.

    `checksums` verifies the rows; it is None in memory. `partition` is set if the range is in one
    partition, and only then can the order be `descending`.
    """

    source: str
    bindings: tuple[bytes, ...]
    checksums: RowChecksums | None = None
    partition: bytes | None = None
    descending: bool = False

    def rows(self, execute: Execute, limit: int | None = None) -> Iterator[tuple[int, bytes]]:
        """Return the size and JSON of every row, lazily; `limit` is for other storages."""
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
