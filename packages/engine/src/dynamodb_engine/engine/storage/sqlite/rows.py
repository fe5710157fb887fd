"""Rows of a table or an index in SQLite. On a file every row has a checksum, which reads verify."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from zlib import crc32

from msgspec import Struct

from dynamodb_engine.engine.storage.interface import DescribeRow, Execute, KeyRange, Row, RowKey
from dynamodb_engine.engine.storage.sqlite.checksums import DamagedData, RowChecksums
from dynamodb_engine.engine.storage.sqlite.row_range import (
    SqliteRange,
    check_total,
    partition_source,
    scan_source,
)


@dataclass(frozen=True, slots=True)
class SqliteRows:
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
    def for_table(cls, name: str, describe: DescribeRow, *, in_memory: bool) -> SqliteRows:
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
        key: RowKey,
        row: Row,
        size: int,
        json: bytes,
        content: int,
        expires: int | None = None,
    ) -> None:
        """Replace the existing row at `key`; `content` is the checksum of the JSON."""
        execute(self.update_sql, (size, expires, json, row.place ^ content ^ size, row.id))

    def delete(self, execute: Execute, key: RowKey, row: Row) -> None:
        """Delete the existing row at `key`."""
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

    def partition_range(self, keys: KeyRange, after: bytes | None, *, forward: bool) -> SqliteRange:
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
        return SqliteRange(source, bindings, self.checksums, partition, not forward)

    def scan_range(self, low: bytes, high: bytes | None, after: RowKey | None) -> SqliteRange:
        """Return the rows between two partition bounds, starting after a key between them."""
        above = () if high is None else (high,)
        source = scan_source(self.name, bounded=bool(above), after=after is not None)
        return SqliteRange(source, (*(after or (low,)), *above), self.checksums)

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

    def expired_keys(self, execute: Execute, since: int, until: int, limit: int) -> list[RowKey]:
        """Return keys of rows that expired between two timestamps, earliest first."""
        return [key for key, _, _ in islice(self.read_expired(execute, since, until), limit)]


class SqliteLayout(Struct, frozen=True):
    """How rows are stored in SQLite; in memory they have no checksums."""

    in_memory: bool
    shortens_keys = False

    @property
    def has_checksums(self) -> bool:
        """Return whether every read verifies a checksum."""
        return not self.in_memory

    def rows(self, name: str, describe: DescribeRow) -> SqliteRows:
        """Return access to the rows of the SQLite table with this name."""
        return SqliteRows.for_table(name, describe, in_memory=self.in_memory)

    def hash_partition(self, key: bytes) -> bytes:
        """Return the bytes of a partition key, prefixed with their hash."""
        return crc32(key).to_bytes(4, "big") + key

    def shorten(self, key: bytes) -> bytes:
        """Return the key: SQLite has no limit."""
        return key
