"""Rows of a table or an index, sorted by key.

A table and its indexes have the same columns: partition bytes, sort bytes, the size as DynamoDB
counts it, and the item as JSON. An index is a table of projected items, sorted by its own key and
then by the table's. Rows of a table also have the time when the item expires.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, cast

from msgspec import Struct

from singletable.engine.storage.connection import Execute
from singletable.engine.storage.row_range import RowRange, partition_source, scan_source


class Row(Struct, frozen=True):
    """A stored item."""

    id: int
    size: int
    json: bytes


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
    select_sql: str
    insert_sql: str
    update_sql: str
    delete_sql: str
    upsert_sql: str
    delete_at_sql: str

    @classmethod
    def for_table(cls, name: str) -> Rows:
        """Return access to the rows of the SQLite table with this name."""
        return cls(
            name,
            f"SELECT id, size, item FROM {name} WHERE partition = ? AND sort = ?",
            f"INSERT INTO {name} (partition, sort, size, expires, item) VALUES (?, ?, ?, ?, ?)",
            f"UPDATE {name} SET size = ?, expires = ?, item = ? WHERE id = ?",
            f"DELETE FROM {name} WHERE id = ?",
            f"INSERT INTO {name} (partition, sort, size, item) VALUES (?, ?, ?, ?) ON CONFLICT "
            "(partition, sort) DO UPDATE SET size = excluded.size, item = excluded.item",
            f"DELETE FROM {name} WHERE partition = ? AND sort = ?",
        )

    def create(self, execute: Execute) -> None:
        """Create the SQLite table."""
        execute(
            f"CREATE TABLE {self.name} (id INTEGER PRIMARY KEY, partition BLOB NOT NULL, "
            "sort BLOB NOT NULL, size INTEGER NOT NULL, expires INTEGER, item BLOB NOT NULL, "
            "UNIQUE (partition, sort))"
        )

    def drop(self, execute: Execute) -> None:
        """Drop the SQLite table with all rows."""
        execute(f"DROP TABLE {self.name}")

    def get(self, execute: Execute, key: RowKey) -> Row | None:
        """Return the row at `key`, or None."""
        rows = cast("Iterator[tuple[int, int, bytes]]", execute(self.select_sql, key))
        for id_, size, json in rows:
            return Row(id_, size, json)
        return None

    def add(
        self, execute: Execute, key: RowKey, size: int, json: bytes, expires: int | None = None
    ) -> None:
        """Insert a row at a key that has none."""
        execute(self.insert_sql, (key.partition, key.sort, size, expires, json))

    def replace(
        self, execute: Execute, id_: int, size: int, json: bytes, expires: int | None = None
    ) -> None:
        """Replace an existing row."""
        execute(self.update_sql, (size, expires, json, id_))

    def delete(self, execute: Execute, row: Row) -> None:
        """Delete an existing row."""
        execute(self.delete_sql, (row.id,))

    def upsert(self, execute: Execute, key: RowKey, size: int, json: bytes) -> None:
        """Insert or replace the row at `key`."""
        execute(self.upsert_sql, (key.partition, key.sort, size, json))

    def delete_at(self, execute: Execute, key: RowKey) -> None:
        """Delete the row at `key` if there is one."""
        execute(self.delete_at_sql, key)

    def partition_range(self, keys: KeyRange, after: bytes | None, *, forward: bool) -> RowRange:
        """Return the rows of a key range in order, starting after the sort bytes `after`."""
        high = () if keys.high is None else (keys.high,)
        start = () if after is None else (after,)
        source = partition_source(self.name, bounded=bool(high), after=bool(start), forward=forward)
        return RowRange(source, (keys.partition, keys.low, *high, *start))

    def scan_range(self, low: bytes, high: bytes | None, after: RowKey | None) -> RowRange:
        """Return the rows between two partition bounds, starting after a key."""
        above = () if high is None else (high,)
        start = () if after is None else after
        source = scan_source(self.name, bounded=bool(above), after=bool(start))
        return RowRange(source, (low, *above, *start))

    def count(self, execute: Execute) -> tuple[int, int]:
        """Return the number of rows and the sum of their sizes."""
        ((count, size),) = execute(f"SELECT count(*), coalesce(sum(size), 0) FROM {self.name}")
        return cast(int, count), cast(int, size)

    def partition_size(self, execute: Execute, partition: bytes) -> int:
        """Return the sum of the sizes of one partition's rows."""
        ((size,),) = execute(
            f"SELECT coalesce(sum(size), 0) FROM {self.name} WHERE partition = ?", (partition,)
        )
        return cast(int, size)

    def list_expired(
        self, execute: Execute, since: int, until: int, limit: int
    ) -> list[tuple[RowKey, Row]]:
        """Return rows that expired between two timestamps, the earliest first."""
        rows = execute(
            f"SELECT partition, sort, id, size, item FROM {self.name} "
            "WHERE expires > ? AND expires < ? ORDER BY expires LIMIT ?",
            (since, until, limit),
        )
        return [
            (RowKey(partition, sort), Row(id_, size, json))
            for partition, sort, id_, size, json in cast(
                "Iterator[tuple[bytes, bytes, int, int, bytes]]", rows
            )
        ]
