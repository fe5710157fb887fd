"""Hand-written SQL on a server as a contender: the lower bound for the engine, not a peer.

Keys are bytes, items are JSON, and each request is one transaction that locks what it changes,
without validation, indexes, change feed or pages.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import Any, cast

import msgspec

from benchmarks.harness.measurement import WrongResult
from singletable import Item

_GET = "SELECT item FROM by_hand WHERE pk = %s AND sk = %s"
_QUERY = "SELECT item FROM by_hand WHERE pk = %s ORDER BY sk"
_INSERT = "INSERT INTO by_hand VALUES (%s, %s, %s) "
_UPDATE = "UPDATE by_hand SET item = %s WHERE pk = %s AND sk = %s"
_COUNT = "SELECT count(*) FROM by_hand WHERE pk = %s"
_MOST_YEARS = 1_000_000_000


class RawServer:
    """A table on PostgreSQL or MariaDB and a few statements; each thread has a connection."""

    def __init__(self, connect: Callable[[], Any]) -> None:
        self._connect = connect
        self._cursors: dict[int, Any] = {}
        is_postgresql = type(self._cursor).__module__.startswith("psycopg")
        key = "BYTEA" if is_postgresql else "VARBINARY(255)"
        value = "BYTEA" if is_postgresql else "MEDIUMBLOB"
        self._put = _INSERT + (
            "ON CONFLICT (pk, sk) DO UPDATE SET item = excluded.item"
            if is_postgresql
            else "ON DUPLICATE KEY UPDATE item = VALUES(item)"
        )
        self._encode = msgspec.json.Encoder().encode
        self._run("DROP TABLE IF EXISTS by_hand")
        self._run(
            f"CREATE TABLE by_hand (pk {key} NOT NULL, sk {key} NOT NULL, item {value} NOT NULL, "
            "PRIMARY KEY (pk, sk))"
        )

    @property
    def _cursor(self) -> Any:
        """The cursor of this thread."""
        thread = threading.get_ident()
        if thread not in self._cursors:
            self._cursors[thread] = self._connect().cursor()
        return self._cursors[thread]

    def close(self) -> None:
        """Close all connections."""
        for cursor in self._cursors.values():
            cursor.connection.close()

    def _run(self, sql: str, values: tuple[object, ...] = ()) -> None:
        self._cursor.execute(sql, values or None)

    def _rows(self, sql: str, values: tuple[object, ...]) -> list[tuple[Any, ...]]:
        self._cursor.execute(sql, values)
        return list(self._cursor.fetchall())

    def fill(self, items: Iterable[Item]) -> None:
        """Put many items in one transaction."""
        self.batch(list(items))

    def put(self, item: Item) -> None:
        """Put an item."""
        self._run(self._put, self._row(item))

    def get(self, key: Item) -> Item | None:
        """Return the item with a key."""
        for (item,) in self._rows(_GET, _key_bytes(key)):
            return _decode(item)
        return None

    def query(self, partition: str) -> Sequence[Item]:
        """Return all items of a partition, in order."""
        return [_decode(item) for (item,) in self._rows(_QUERY, (partition.encode(),))]

    def update(self, partition: str, sort: str) -> None:
        """Add one to the years of an item, with a condition."""
        self._run("BEGIN")
        self._add_year(partition, sort)
        self._run("COMMIT")

    def transact(self, new: Item, partition: str, sort: str) -> None:
        """Put a new item and update another one, in a transaction."""
        self._run("BEGIN")
        self._run(_INSERT, self._row(new))
        self._add_year(partition, sort)
        self._run("COMMIT")

    def batch(self, items: Sequence[Item]) -> None:
        """Put the items in one transaction."""
        self._run("BEGIN")
        self._cursor.executemany(self._put, [self._row(item) for item in items])
        self._run("COMMIT")

    def count(self, partition: str) -> int:
        """Return the number of items of a partition."""
        ((total,),) = self._rows(_COUNT, (partition.encode(),))
        return cast(int, total)

    def _add_year(self, partition: str, sort: str) -> None:
        key = (partition.encode(), sort.encode())
        ((text,),) = self._rows(f"{_GET} FOR UPDATE", key)
        item = _decode(text)
        years = int(item["years"]["N"])
        if years >= _MOST_YEARS:
            raise WrongResult(f"{partition} {sort} already has {years} years")
        item["years"]["N"] = str(years + 1)
        self._run(_UPDATE, (self._encode(item), *key))

    def _row(self, item: Item) -> tuple[bytes, bytes, bytes]:
        return (*_key_bytes(item), self._encode(item))


def _decode(item: bytes) -> Item:
    return cast(Item, msgspec.json.decode(item))


def _key_bytes(key: Item) -> tuple[bytes, bytes]:
    return key["PK"]["S"].encode(), key["SK"]["S"].encode()


@contextmanager
def raw_server(connect: Callable[[], Any]) -> Generator[RawServer]:
    """Yield a new table on a server."""
    server = RawServer(connect)
    try:
        yield server
    finally:
        server.close()
