"""Rows of a table or an index on a SQL server.

The primary key is a digest of the partition key and the sort bytes, because servers limit the
length of keys: PostgreSQL to 2,704 bytes and MariaDB to 3,072. In an index, the sort bytes end with
the first bytes of the table's key and a digest of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import cast

from msgspec import Struct

from dynamodb_engine.engine.storage.interface import (
    DescribeRow,
    Execute,
    KeyRange,
    Page,
    Row,
    RowKey,
)
from dynamodb_engine.engine.storage.server.dialect import Dialect, ResultRows, Value
from dynamodb_engine.engine.storage.server.transaction import ServerRow, Transaction

MEGABYTE = 1024 * 1024
_FIRST_CHUNK, _LARGEST_CHUNK = 64, 4096
_EXACT_COUNT = 10_000
_KEPT = 300  # bytes of a table's key in the key of an index entry


class ServerLayout(Struct, frozen=True):
    """How rows are stored on a SQL server."""

    dialect: Dialect
    shortens_keys = True

    def rows(self, name: str, describe: DescribeRow) -> ServerRows:
        """Return access to the rows of the SQL table with this name."""
        return ServerRows(name)

    def hash_partition(self, key: bytes) -> bytes:
        """Return a digest of a partition key."""
        return digest(key)

    def shorten(self, key: bytes) -> bytes:
        """Return the first bytes of a table's key and a digest: entries keep their order."""
        return key[:_KEPT] + digest(key)


def digest(key: bytes) -> bytes:
    """Return 32 bytes in place of a long key."""
    return blake2b(key, digest_size=32).digest()


@dataclass(frozen=True, slots=True)
class ServerRows:
    """Access to the rows of one table or index; the methods are those of `Rows` for SQLite."""

    name: str

    def create(self, execute: Execute) -> None:
        """Create the SQL table when the transaction commits."""
        _transaction(execute).created.append(self.name)

    def drop(self, execute: Execute) -> None:
        """Drop the SQL table after the transaction has committed."""
        _transaction(execute).dropped.append(self.name)

    def get(self, execute: Execute, key: RowKey) -> Row | None:
        """Return the row at `key`, or None."""
        return _transaction(execute).get(self.name, key)

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
        _transaction(execute).set_row(self.name, key, ServerRow(0, size, json, expires=expires))

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
        self.add(execute, key, size, json, 0, expires)

    def delete(self, execute: Execute, key: RowKey, row: Row) -> None:
        """Delete the existing row at `key`."""
        _transaction(execute).set_row(self.name, key, None)

    def upsert(
        self, execute: Execute, key: RowKey, size: int, json: bytes, position: int | None = None
    ) -> None:
        """Insert or replace the row of an index at `key`."""
        self.add(execute, key, size, json, 0)

    def delete_at(self, execute: Execute, key: RowKey) -> None:
        """Delete the row of an index at `key` if there is one."""
        _transaction(execute).set_row(self.name, key, None)

    def set_expires(self, execute: Execute, key: RowKey, row: Row, expires: int | None) -> None:
        """Store when an unchanged row expires."""
        self.replace(execute, key, row, row.size, row.json, expires)

    def partition_range(self, keys: KeyRange, after: bytes | None, *, forward: bool) -> ServerRange:
        """Return the rows of a key range in order, starting after `after`, inside the range."""
        partition, low, high = keys
        bounds = [("hash = %s", partition)]
        if after is None or not forward:
            bounds.append(("sort >= %s", low))
        if after is not None:
            high = high if forward else None
            bounds.append(("sort > %s" if forward else "sort < %s", after))
        if high is not None:
            bounds.append(("sort < %s", high))
        return ServerRange(self.name, tuple(bounds), "sort" if forward else "sort DESC")

    def scan_range(self, low: bytes, high: bytes | None, after: RowKey | None) -> ServerRange:
        """Return the rows between two partition bounds, starting after a key between them."""
        bounds = [] if high is None else [("hash < %s", high)]
        if after is None:
            bounds.append(("hash >= %s", low))
        return ServerRange(self.name, tuple(bounds), "hash, sort", after)

    def count(self, execute: Execute) -> tuple[int, int]:
        """Return the number of rows and the sum of their sizes; estimates of large tables."""
        transaction = _transaction(execute)
        ((count, counted, size),) = transaction.run(
            transaction.dialect.count(self.name, _EXACT_COUNT)
        )
        return int(count), int(size) if count == counted else int(size * count / counted)

    def partition_size(self, execute: Execute, partition: bytes) -> int:
        """Return the sum of the sizes of one partition's rows."""
        sql = f"SELECT coalesce(sum(size), 0) FROM {self.name} WHERE hash = %s"
        ((size,),) = _transaction(execute).run((sql, (partition,)))
        return int(size)

    def read_expired(
        self, execute: Execute, since: int, until: int
    ) -> Iterator[tuple[RowKey, Row | None, int]]:
        """Yield the locked rows that expired between two timestamps, earliest first."""
        expired = [
            (row.expires, key, row)
            for key, row in _transaction(execute).locked_rows(self.name)
            if row.expires is not None and since < row.expires < until
        ]
        for expires, key, row in sorted(expired, key=lambda entry: entry[:2]):
            yield key, row, expires

    def expired_keys(self, execute: Execute, since: int, until: int, limit: int) -> list[RowKey]:
        """Return keys of rows that expired between two timestamps, earliest first."""
        sql = (
            f"SELECT hash, sort FROM {self.name} WHERE expires > %s AND expires < %s "
            "ORDER BY expires LIMIT %s"
        )
        return [RowKey(*key) for key in _transaction(execute).run((sql, (since, until, limit)))]

    def keys_after(self, execute: Execute, after: RowKey | None, limit: int) -> list[RowKey]:
        """Return the keys that follow a key, in order."""
        transaction, where = _transaction(execute), ""
        values: tuple[Value, ...] = ()
        if after is not None:
            where, values = f" WHERE {transaction.dialect.after}", (*after, after.partition)
        sql = f"SELECT hash, sort FROM {self.name}{where} ORDER BY hash, sort LIMIT %s"
        return [RowKey(*key) for key in transaction.run((sql, (*values, limit)))]


class ServerRange(Struct, frozen=True):
    """Rows between bounds, read in chunks; the methods are those of `RowRange` for SQLite."""

    name: str
    bounds: tuple[tuple[str, bytes], ...]
    order: str
    after: RowKey | None = None

    def rows(self, execute: Execute) -> Iterator[tuple[int, bytes]]:
        """Yield the size and JSON of every row."""
        return self._rows(execute, None)

    def read(self, execute: Execute, page_size: int, limit: int | None) -> Page:
        """Read rows until their sizes reach `page_size`, the limit, or the end."""
        entries: list[bytes] = []
        total = 0
        for size, json in self._rows(execute, limit):
            entries.append(json)
            total += size
            if total >= page_size or len(entries) == limit:
                return Page(entries, total, is_full=True)
        return Page(entries, total, is_full=False)

    def _rows(self, execute: Execute, limit: int | None) -> Iterator[tuple[int, bytes]]:
        """Yield the size and JSON of rows; read as few as a page of `limit` rows needs."""
        transaction, last = _transaction(execute), None
        chunk, count, total = min(limit or _FIRST_CHUNK, _FIRST_CHUNK), 0, 0
        while True:
            where, values = self._where(transaction, last)
            sql = f"SELECT hash, sort, size, item FROM {self.name}{where} LIMIT {chunk}"
            rows = transaction.run((sql, values))
            for partition, sort, size, item in rows:
                count, total = count + 1, total + size
                yield size, item
                last = RowKey(partition, sort)
            if len(rows) < chunk:
                return
            room = (MEGABYTE - total) * count // max(total, 1) + 1
            chunk = max(1, min(room, _LARGEST_CHUNK, (limit or room + count) - count))

    def slice(self, execute: Execute, offset: int, limit: int) -> list[tuple[int, bytes]]:
        """Return the size and JSON of up to `limit` rows from `offset` on."""
        where, values = self._where(_transaction(execute), None)
        sql = f"SELECT size, item FROM {self.name}{where} LIMIT %s OFFSET %s"
        return cast("list[tuple[int, bytes]]", _run(execute, sql, (*values, limit, offset)))

    def total(self, execute: Execute, limit: int) -> tuple[int, int]:
        """Return the number of rows and the sum of their sizes, up to `limit` rows."""
        where, values = self._where(_transaction(execute), None)
        inner = f"SELECT size FROM {self.name}{where} LIMIT %s"
        sql = f"SELECT count(*), coalesce(sum(size), 0) FROM ({inner}) AS page"
        ((count, size),) = _run(execute, sql, (*values, limit))
        return int(count), int(size)

    def _where(
        self, transaction: Transaction, last: RowKey | None
    ) -> tuple[str, tuple[Value, ...]]:
        """Return the conditions and the order, after the last row that was read."""
        conditions = [text for text, _ in self.bounds]
        values: list[Value] = [value for _, value in self.bounds]
        if self.order != "hash, sort":
            if last is not None:
                conditions.append("sort < %s" if self.order == "sort DESC" else "sort > %s")
                values.append(last.sort)
        elif (start := last or self.after) is not None:
            conditions.append(transaction.dialect.after)
            values += [*start, start.partition]
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        return f"{where} ORDER BY {self.order}", tuple(values)


def _transaction(execute: Execute) -> Transaction:
    """Return the transaction: on servers it is what handlers call to execute statements."""
    return cast(Transaction, execute)


def _run(execute: Execute, sql: str, values: tuple[Value, ...]) -> ResultRows:
    return _transaction(execute).run((sql, values))
