"""Hand-written SQLite as a contender: the lower bound for the engine, not a peer.

Keys are bytes, items are JSON text, and each request is one transaction, without validation,
capacity, change feed or pages.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, cast

import apsw
import msgspec

from benchmarks.harness.measurement import WrongResult
from singletable import Item

_CREATE = (
    "CREATE TABLE items (partition BLOB NOT NULL, sort BLOB NOT NULL, item TEXT NOT NULL, "
    "PRIMARY KEY (partition, sort))"
)
_PUT = "INSERT OR REPLACE INTO items VALUES (?, ?, ?)"
_PUT_NEW = "INSERT INTO items VALUES (?, ?, ?)"
_GET = "SELECT item FROM items WHERE partition = ? AND sort = ?"
_QUERY = "SELECT item FROM items WHERE partition = ? ORDER BY sort"
_UPDATE = "UPDATE items SET item = ? WHERE partition = ? AND sort = ?"
_COUNT = "SELECT count(*) FROM items WHERE partition = ?"
_MOST_YEARS = 1_000_000_000


class Execute(Protocol):
    """The signature of apsw's execute."""

    def __call__(
        self, statement: str, bindings: tuple[str | bytes, ...] = (), /
    ) -> Iterator[tuple[object, ...]]:
        """Return the rows of a statement."""
        ...


class RawSQLite:
    """A table in SQLite and a few statements."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._execute = _execute_of(connection)
        self._encode = msgspec.json.Encoder().encode
        self._execute(_CREATE)

    def fill(self, items: Iterable[Item]) -> None:
        """Put many items in one transaction."""
        self.batch(list(items))

    def put(self, item: Item) -> None:
        """Put an item."""
        self._execute(_PUT, self._row(item))

    def get(self, key: Item) -> Item | None:
        """Return the item with a key."""
        for (item,) in self._execute(_GET, _key_bytes(key)):
            return _decode(item)
        return None

    def query(self, partition: str) -> Sequence[Item]:
        """Return all items of a partition, in order."""
        rows = self._execute(_QUERY, (partition.encode(),))
        return [_decode(item) for (item,) in rows]

    def update(self, partition: str, sort: str) -> None:
        """Add one to the years of an item, with a condition."""
        with self._connection:
            self._add_year(partition, sort)

    def transact(self, new: Item, partition: str, sort: str) -> None:
        """Put a new item and update another one, in a transaction."""
        with self._connection:
            self._execute(_PUT_NEW, self._row(new))
            self._add_year(partition, sort)

    def batch(self, items: Sequence[Item]) -> None:
        """Put the items in one transaction."""
        with self._connection:
            for item in items:
                self._execute(_PUT, self._row(item))

    def count(self, partition: str) -> int:
        """Return the number of items of a partition."""
        ((total,),) = self._execute(_COUNT, (partition.encode(),))
        return cast(int, total)

    def _add_year(self, partition: str, sort: str) -> None:
        key = (partition.encode(), sort.encode())
        ((text,),) = self._execute(_GET, key)
        item = _decode(text)
        years = int(item["years"]["N"])
        if years >= _MOST_YEARS:
            raise WrongResult(f"{partition} {sort} already has {years} years")
        item["years"]["N"] = str(years + 1)
        self._execute(_UPDATE, (self._encode(item).decode(), *key))

    def _row(self, item: Item) -> tuple[bytes, bytes, str]:
        return (*_key_bytes(item), self._encode(item).decode())


def _decode(text: object) -> Item:
    return cast(Item, msgspec.json.decode(cast(str, text)))


def _execute_of(connection: apsw.Connection) -> Execute:
    # apsw's stub uses a type that Python 3.11 does not have.
    return cast(Execute, connection.execute)  # pyright: ignore[reportUnknownMemberType]


def _key_bytes(key: Item) -> tuple[bytes, bytes]:
    return key["PK"]["S"].encode(), key["SK"]["S"].encode()


@contextmanager
def raw_sqlite(path: Path | None = None) -> Generator[RawSQLite]:
    """Yield a new database in memory or in a file, as durable as the engine's."""
    connection = apsw.Connection(":memory:" if path is None else str(path), statementcachesize=500)
    if path is not None:
        execute = _execute_of(connection)
        execute("PRAGMA journal_mode = WAL")
        execute("PRAGMA synchronous = FULL")
    try:
        yield RawSQLite(connection)
    finally:
        connection.close()
