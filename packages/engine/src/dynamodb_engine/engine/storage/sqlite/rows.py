"""Rows of a table or an index in SQLite.

Every row has an id that no other row of the file has or had: SQLite's index has the key and the id,
and its table the id and the item. So a page of a table at the place of another one is noticed,
without a cost: SQLite reports damage if it does not find an id.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from zlib import crc32

from msgspec import Struct

from dynamodb_engine.engine.storage.interface import DescribeRow, Execute, KeyRange, Row, RowKey
from dynamodb_engine.engine.storage.sqlite.checksums import (
    MAX_KEY_IN_PAGE,
    MAX_ROW_IN_PAGE,
    DamagedData,
    row_checksum,
)
from dynamodb_engine.engine.storage.sqlite.row_range import (
    RowCheck,
    SqliteRange,
    check_total,
    partition_source,
    scan_source,
)

# The id of a table's row is the position of the change that stores it. The ids of its indexes' rows
# start at multiples of this number. SQLite finds rows with consecutive ids faster.
_INDEX_IDS = 2**40
# Rows that no change stores have negative ids, from another range in each table and index.
_OTHER_IDS = 2**31


@dataclass(frozen=True, slots=True)
class SqliteRows:
    """Access to the rows of one table or index; the SQL is formatted once."""

    name: str
    check: RowCheck
    in_memory: bool
    start: int  # what is added to the position of a change for the id of a row
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
            RowCheck(crc32(name.encode()), describe),
            in_memory,
            int(name.split("_")[2]) * _INDEX_IDS if name.startswith("index_") else 0,
            f"SELECT id, size, item, checksum FROM {name} WHERE partition = ? AND sort = ?",
            f"INSERT INTO {name} (id, partition, sort, size, expires, item, checksum) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            f"UPDATE {name} SET size = ?, expires = ?, item = ?, checksum = ? WHERE id = ?",
            f"DELETE FROM {name} WHERE id = ?",
            f"INSERT INTO {name} (id, partition, sort, size, item, checksum) "
            "VALUES (?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (partition, sort) DO UPDATE SET size = excluded.size, "
            "item = excluded.item, checksum = excluded.checksum",
            f"DELETE FROM {name} WHERE partition = ? AND sort = ?",
        )

    def create(self, execute: Execute) -> None:
        """Create the SQLite table; the checksum is in the first page of each row."""
        execute(
            f"CREATE TABLE {self.name} (id INTEGER PRIMARY KEY, partition BLOB NOT NULL, "
            "sort BLOB NOT NULL, size INTEGER NOT NULL, expires INTEGER, "
            "checksum INTEGER NOT NULL, item BLOB NOT NULL, UNIQUE (partition, sort))"
        )

    def upgrade(self, execute: Execute) -> None:
        """Verify the rows of an older file, which all have checksums, and give them new ids."""
        for row in execute(f"SELECT partition, sort, size, item, checksum FROM {self.name}"):
            self.check.verify(*row)
        indexes = list(
            execute(
                "SELECT sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql > ''",
                (self.name,),
            )
        )
        execute(f"ALTER TABLE {self.name} RENAME TO older_rows")
        self.create(execute)
        length = "length(partition) + length(sort)"
        execute(
            f"INSERT INTO {self.name} SELECT id + ?, partition, sort, size, expires, CASE WHEN "
            f"{length} > {MAX_KEY_IN_PAGE} OR {length} + length(item) > {MAX_ROW_IN_PAGE} "
            "THEN max(checksum, 1) ELSE 0 END, item FROM older_rows ORDER BY id",
            (self.first_id,),
        )
        execute("DROP TABLE older_rows")
        for (index,) in indexes:
            execute(index)

    def drop(self, execute: Execute) -> None:
        """Drop the SQLite table with all rows."""
        execute(f"DROP TABLE {self.name}")

    def get(self, execute: Execute, key: RowKey) -> Row | None:
        """Return the row at `key`, or None."""
        row = next(execute(self.select_sql, key), None)
        if row is None:
            return None
        id_, size, json, checksum = row
        if not self.in_memory:
            self.check.verify(*key, size, json, checksum)
        return Row(id_, size, json)

    def _checksum(self, partition: bytes, sort: bytes, size: int, json: bytes) -> int:
        """Return the checksum of a row that may need several pages, and 0 for others."""
        length = len(partition) + len(sort)
        if length <= MAX_KEY_IN_PAGE and length + len(json) <= MAX_ROW_IN_PAGE:
            return 0
        return row_checksum(self.check.seed, partition, sort, size, json)

    def add(
        self,
        execute: Execute,
        key: RowKey,
        size: int,
        json: bytes,
        position: int,
        expires: int | None = None,
    ) -> None:
        """Insert a row at an unused key."""
        partition, sort = key
        id_, checksum = None, 0
        if not self.in_memory:
            id_ = self.start + position
            checksum = self._checksum(partition, sort, size, json)
        execute(self.insert_sql, (id_, partition, sort, size, expires, json, checksum))

    def replace(
        self,
        execute: Execute,
        key: RowKey,
        row: Row,
        size: int,
        json: bytes,
        expires: int | None = None,
    ) -> None:
        """Replace the existing row at `key`."""
        checksum = 0 if self.in_memory else self._checksum(*key, size, json)
        execute(self.update_sql, (size, expires, json, checksum, row.id))

    def delete(self, execute: Execute, key: RowKey, row: Row) -> None:
        """Delete the existing row at `key`."""
        execute(self.delete_sql, (row.id,))

    def upsert(
        self, execute: Execute, key: RowKey, size: int, json: bytes, position: int | None = None
    ) -> None:
        """Insert or replace the row at `key`; `position` is None if no change stores it."""
        partition, sort = key
        id_, checksum = None, 0
        if not self.in_memory:
            id_ = self._other_id(execute) if position is None else self.start + position
            checksum = self._checksum(partition, sort, size, json)
        execute(self.upsert_sql, (id_, partition, sort, size, json, checksum))

    @property
    def first_id(self) -> int:
        """Return the start of this table's or index's range of negative ids."""
        return -(self.check.seed % 2**30 + 1) * _OTHER_IDS

    def _other_id(self, execute: Execute) -> int:
        """Return a negative id that is not in use."""
        ((last,),) = execute(f"SELECT max(id) FROM {self.name} WHERE id < 0")
        return self.first_id if last is None else last + 1

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
        check = None if self.in_memory else self.check
        return SqliteRange(source, bindings, check, partition, not forward)

    def scan_range(self, low: bytes, high: bytes | None, after: RowKey | None) -> SqliteRange:
        """Return the rows between two partition bounds, starting after a key between them."""
        above = () if high is None else (high,)
        source = scan_source(self.name, bounded=bool(above), after=after is not None)
        check = None if self.in_memory else self.check
        return SqliteRange(source, (*(after or (low,)), *above), check)

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
            key = RowKey(partition, sort)
            try:
                if not self.in_memory:
                    self.check.verify(*key, size, json, checksum)
            except DamagedData:
                yield key, None, expires
            else:
                yield key, Row(id_, size, json), expires

    def expired_keys(self, execute: Execute, since: int, until: int, limit: int) -> list[RowKey]:
        """Return keys of rows that expired between two timestamps, earliest first."""
        return [key for key, _, _ in islice(self.read_expired(execute, since, until), limit)]


class SqliteLayout(Struct, frozen=True):
    """How rows are stored in SQLite."""

    in_memory: bool
    shortens_keys = False

    def rows(self, name: str, describe: DescribeRow) -> SqliteRows:
        """Return access to the rows of the SQLite table with this name."""
        return SqliteRows.for_table(name, describe, in_memory=self.in_memory)

    def hash_partition(self, key: bytes) -> bytes:
        """Return the bytes of a partition key, prefixed with their hash."""
        return crc32(key).to_bytes(4, "big") + key

    def shorten(self, key: bytes) -> bytes:
        """Return the key: SQLite has no limit."""
        return key
