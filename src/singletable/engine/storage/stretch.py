"""A stretch of rows in order, and the ways to go through it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import cast

from msgspec import Struct

from singletable.engine.storage.execute import Execute


class Stretch(Struct, frozen=True):
    """Rows between two bounds; `source` is what a SELECT says after its columns."""

    source: str
    bindings: tuple[bytes, ...]

    def rows(self, execute: Execute) -> Iterator[tuple[int, bytes]]:
        """Size and JSON of every row, lazily."""
        found = execute(f"SELECT size, item {self.source}", self.bindings)
        return cast("Iterator[tuple[int, bytes]]", found)

    def some(self, execute: Execute, first: int, most: int) -> list[tuple[int, bytes]]:
        """Size and JSON of so many rows from the first on, counted from 0."""
        found = execute(
            f"SELECT size, item {self.source} LIMIT ? OFFSET ?", (*self.bindings, most, first)
        )
        return list(cast("Iterator[tuple[int, bytes]]", found))

    def total(self, execute: Execute, most: int) -> tuple[int, int]:
        """How many rows there are, and the sum of their sizes; it stops counting at `most` rows."""
        ((count, size),) = execute(
            f"SELECT count(*), coalesce(sum(size), 0) FROM (SELECT size {self.source} LIMIT ?)",
            (*self.bindings, most),
        )
        return cast(int, count), cast(int, size)


@lru_cache(256)
def of_partition(name: str, *, bounded: bool, after: bool, forward: bool) -> str:
    """The source of a stretch of one partition."""
    above = " AND sort < ?" if bounded else ""
    beyond = (" AND sort > ?" if forward else " AND sort < ?") if after else ""
    order = "ASC" if forward else "DESC"
    return f"FROM {name} WHERE partition = ? AND sort >= ?{above}{beyond} ORDER BY sort {order}"


@lru_cache(256)
def of_partitions(name: str, *, bounded: bool, after: bool) -> str:
    """The source of a stretch of many partitions."""
    above = " AND partition < ?" if bounded else ""
    beyond = " AND (partition, sort) > (?, ?)" if after else ""
    return f"FROM {name} WHERE partition >= ?{above}{beyond} ORDER BY partition, sort"
