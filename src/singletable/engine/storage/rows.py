"""Rows of a table or an index, sorted by key.

A table and its indexes have the same columns: partition bytes, sort bytes, the size as DynamoDB
counts it, and the item as JSON. An index is a table of projected items, sorted by its own key and
then by the table's. Rows of a table also have the item's expiry time, which is derived from the
item. On a file every row has a checksum, and every read verifies it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple
from zlib import crc32

from msgspec import Struct

from singletable.engine.storage.checksums import DamagedData, DescribeRow, RowChecksums
from singletable.engine.storage.connection import Execute
from singletable.engine.storage.row_range import (
    RowRange,
    check_total,
    partition_source,
    scan_source,
)


class Row(Struct, frozen=True):
    """A stored item. On a file, `place` and `content` are the checksums of its key and its JSON."""

    id: int
    size: int
    json: bytes
    place: int = 0
    content: int = 0


class RowKey(NamedTuple):
    """The encoded key of a row: its bytes sort in DynamoDB's order."""

    partition: bytes
    sort: bytes


class KeyRange(NamedTuple):
    """A range of one partition: from `low`, up to but not including `high` (None: no bound)."""

    partition: bytes
    low: bytes
    high: bytes | None


@dataclass(frozen=True, slots=True)
class Rows:
    """Access to the rows of one table or index; the SQL is formatted once."""

    name: str
    checksums: RowChecksums | None  # None: in memory
    select_sql: str
    insert_sql: str
    update_sql: str
    delete_sql: str
    upsert_sql: str
    delete_at_sql: str

    @classmethod
    def for_table(cls, name: str, describe: DescribeRow, *, in_memory: bool) -> Rows:
        """Return access to the rows of the SQLite table with this name."""
        return cls(
            name,
            None if in_memory else RowChecksums.of_table(name, describe),
            f"SELECT id, size, item, checksum FROM {name} WHERE partition = ? AND sort = ?",
            f"INSERT INTO {name} (partition, sort, size, expires, item, checksum) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            f"UPDATE {name} SET size = ?, expires = ?, item = ?, checksum = ? WHERE id = ?",
            f"DELETE FROM {name} WHERE id = ?",
            f"INSERT INTO {name} (partition, sort, size, item, checksum) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT (partition, sort) DO UPDATE SET size = excluded.size, "
            "item = excluded.item, checksum = excluded.checksum",
            f"DELETE FROM {name} WHERE partition = ? AND sort = ?",
        )

    def create(self, execute: Execute) -> None:
        """Create the SQLite table."""
        execute(
            f"CREATE TABLE {self.name} (id INTEGER PRIMARY KEY, partition BLOB NOT NULL, "
            "sort BLOB NOT NULL, size INTEGER NOT NULL, expires INTEGER, item BLOB NOT NULL, "
            "checksum INTEGER NOT NULL, UNIQUE (partition, sort))"
        )

    def drop(self, execute: Execute) -> None:
        """Drop the SQLite table with all rows."""
        execute(f"DROP TABLE {self.name}")

    def get(self, execute: Execute, key: RowKey) -> Row | None:
        """Return the row at `key`, or None."""
        row = next(execute(self.select_sql, key), None)
        if row is None:
            return None
        id_, size, json, checksum = row
        if self.checksums is None:
            return Row(id_, size, json)
        # RowChecksums.check, inlined for speed.
        partition, sort = key
        try:
            place, content = crc32(sort, crc32(partition, self.checksums.seed)), crc32(json)
            if place ^ content ^ size == checksum:
                return Row(id_, size, json, place, content)
        except TypeError:
            pass
        raise DamagedData(self.checksums.describe(partition, sort))

    def content_checksum(self, json: bytes) -> int:
        """Return the checksum of an item's JSON; 0 in memory."""
        return 0 if self.checksums is None else crc32(json)

    def add(
        self,
        execute: Execute,
        key: RowKey,
        size: int,
        json: bytes,
        content: int,
        expires: int | None = None,
    ) -> None:
        """Insert a row at an unused key; `content` is the checksum of the JSON."""
        partition, sort = key
        place = 0
        if self.checksums is not None:  # RowChecksums.place, inlined for speed
            place = crc32(sort, crc32(partition, self.checksums.seed))
        execute(self.insert_sql, (partition, sort, size, expires, json, place ^ content ^ size))

    def replace(
        self,
        execute: Execute,
        row: Row,
        size: int,
        json: bytes,
        content: int,
        expires: int | None = None,
    ) -> None:
        """Replace an existing row; `content` is the checksum of the JSON."""
        execute(self.update_sql, (size, expires, json, row.place ^ content ^ size, row.id))

    def delete(self, execute: Execute, row: Row) -> None:
        """Delete an existing row."""
        execute(self.delete_sql, (row.id,))

    def upsert(
        self, execute: Execute, key: RowKey, size: int, json: bytes, content: int | None = None
    ) -> None:
        """Insert or replace the row at `key`; `content` is the checksum of the JSON, if known."""
        partition, sort = key
        checksum = 0
        if self.checksums is not None:
            content = crc32(json) if content is None else content
            checksum = crc32(sort, crc32(partition, self.checksums.seed)) ^ content ^ size
        execute(self.upsert_sql, (partition, sort, size, json, checksum))

    def delete_at(self, execute: Execute, key: RowKey) -> None:
        """Delete the row at `key` if there is one."""
        execute(self.delete_at_sql, key)

    def partition_range(self, keys: KeyRange, after: bytes | None, *, forward: bool) -> RowRange:
        """Return the rows of a key range in order, starting after `after`, inside the range."""
        partition, low, high = keys
        exclusive = after is not None and forward
        if after is not None:
            low, high = (after, high) if forward else (low, after)
        above = () if high is None else (high,)
        source = partition_source(
            self.name, bounded=bool(above), exclusive=exclusive, forward=forward
        )
        bindings = (partition, low, *above)
        return RowRange(source, bindings, self.checksums, partition, not forward)

    def scan_range(self, low: bytes, high: bytes | None, after: RowKey | None) -> RowRange:
        """Return the rows between two partition bounds, starting after a key between them."""
        above = () if high is None else (high,)
        source = scan_source(self.name, bounded=bool(above), after=after is not None)
        return RowRange(source, (*(after or (low,)), *above), self.checksums)

    def count(self, execute: Execute) -> tuple[int, int]:
        """Return the number of rows and the sum of their sizes."""
        ((count, size),) = execute(f"SELECT count(*), coalesce(sum(size), 0) FROM {self.name}")
        return check_total(count, size)

    def partition_size(self, execute: Execute, partition: bytes) -> int:
        """Return the sum of the sizes of one partition's rows."""
        ((size,),) = execute(
            f"SELECT coalesce(sum(size), 0) FROM {self.name} WHERE partition = ?", (partition,)
        )
        return check_total(0, size)[1]

    def read_expired(
        self, execute: Execute, since: int, until: int
    ) -> Iterator[tuple[RowKey, Row | None, int]]:
        """Yield rows that expired between two timestamps, with expiry times, earliest first.

        The row is None if it is damaged.
        """
        rows = execute(
            f"SELECT partition, sort, id, size, item, checksum, expires FROM {self.name} "
            "WHERE expires > ? AND expires < ? ORDER BY expires",
            (since, until),
        )
        for partition, sort, id_, size, json, checksum, expires in rows:
            sums = (0, 0)
            try:
                if self.checksums is not None:
                    sums = self.checksums.check(partition, sort, size, json, checksum)
            except DamagedData:
                yield RowKey(partition, sort), None, expires
            else:
                yield RowKey(partition, sort), Row(id_, size, json, *sums), expires
