"""Checksums of stored rows: altered, moved or copied bytes raise an error when they are read.

A checksum covers the place of a row (its table or index, and its key) and its contents. Items and
changes in memory have none, because no disk can damage them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from zlib import crc32

from msgspec import Struct, msgpack

from dynamodb_engine.engine.storage.interface import DescribeRow

_encode = msgpack.Encoder().encode


class DamagedData(Exception):
    """Stored bytes differ from the written ones; the message names their place."""


class RowChecksums(Struct, frozen=True):
    """Compute and verify row checksums of one table or index."""

    describe: DescribeRow
    seed: int

    @classmethod
    def of_table(cls, name: str, describe: DescribeRow) -> RowChecksums:
        """Return the checksums for the SQLite table with this name."""
        return cls(describe, crc32(name.encode()))

    def place(self, partition: bytes, sort: bytes) -> int:
        """Return the checksum of a row's place."""
        return crc32(sort, crc32(partition, self.seed))

    def compute(self, partition: bytes, sort: bytes, size: int, item: bytes) -> int:
        """Return the checksum of a row."""
        return self.place(partition, sort) ^ crc32(item) ^ size

    def check(
        self, partition: bytes, sort: bytes, size: int, item: bytes, checksum: int
    ) -> tuple[int, int]:
        """Return the checksums of the place and the item; raise DamagedData unless they match."""
        try:
            place, content = crc32(sort, crc32(partition, self.seed)), crc32(item)
            if checksum == place ^ content ^ size:
                return place, content
        except TypeError:  # the type of a stored value has changed
            pass
        raise DamagedData(self.describe(partition, sort))

    def verify_partition(
        self, rows: Iterator[tuple[Any, ...]], partition: bytes, *, descending: bool
    ) -> Iterator[tuple[int, bytes]]:
        """Yield the size and JSON of rows (sort, size, item, checksum) of one partition.

        Raise DamagedData if a row does not match its checksum, or is repeated or out of order
        because SQLite's index is damaged. This inlines `check` to save a call per row.
        """
        start, last = crc32(partition, self.seed), None
        for sort, size, item, checksum in rows:
            try:
                if crc32(sort, start) ^ crc32(item) ^ size != checksum or (
                    last is not None and (sort >= last if descending else sort <= last)
                ):
                    raise DamagedData(self.describe(partition, sort))
            except TypeError:  # the type of a stored value has changed
                raise DamagedData(self.describe(partition, sort)) from None
            last = sort
            yield size, item

    def verify_scan(self, rows: Iterator[tuple[Any, ...]]) -> Iterator[tuple[int, bytes]]:
        """Verify rows of many partitions, each with its partition first, like verify_partition."""
        start, last_partition, last = 0, b"", None
        for partition, sort, size, item, checksum in rows:
            try:
                if partition != last_partition:
                    start, last = crc32(partition, self.seed), None
                if (
                    crc32(sort, start) ^ crc32(item) ^ size != checksum
                    or partition < last_partition
                    or (last is not None and sort <= last)
                ):
                    raise DamagedData(self.describe(partition, sort))
            except TypeError:
                raise DamagedData(self.describe(partition, sort)) from None
            last_partition, last = partition, sort
            yield size, item


def values_checksum(values: tuple[str | bytes | float | None, ...]) -> int:
    """Return the checksum of a row's column values."""
    return crc32(_encode(values))


def change_checksum(values: tuple[Any, ...]) -> int:
    """Return the checksum of a change's columns; the last two are the old and new item."""
    *others, old, new = values
    contents = None if old is None else crc32(old), None if new is None else crc32(new)
    return values_checksum((*others, *contents))


def is_intact_change(row: tuple[Any, ...]) -> bool:
    """Return whether a row of the change feed matches its last column, the checksum."""
    try:
        return bool(row[-1] == change_checksum(row[:-1]))
    except TypeError:  # the type of a stored value has changed
        return False


def check_values(place: str, checksum: int, *values: str | bytes | float | None) -> None:
    """Raise DamagedData unless the values match the checksum."""
    if checksum != values_checksum(values):
        raise DamagedData(place)
