"""The same done by hand on SQLite, as a contender: what one pays for DynamoDB's ways.

Keys are bytes, items are JSON text, and each request is one transaction. There is no validation, no
capacity, no change feed, no page: it is the floor under the engine, and not a peer.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, cast

import apsw
import msgspec

from benchmarks.measuring.missing import WrongAnswer
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
    """How apsw runs a statement."""

    def __call__(
        self, statement: str, bindings: tuple[str | bytes, ...] = (), /
    ) -> Iterator[tuple[object, ...]]:
        """The rows of the statement."""
        ...


class RawSQLite:
    """A table in SQLite, and a few statements."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._execute = _statements(connection)
        self._encode = msgspec.json.Encoder().encode
        self._execute(_CREATE)

    def fill(self, items: Iterable[Item]) -> None:
        """Store many items, in one transaction."""
        self.batch(list(items))

    def put(self, item: Item) -> None:
        """Store an item."""
        self._execute(_PUT, self._row(item))

    def get(self, key: Item) -> Item | None:
        """The item with a key."""
        for (item,) in self._execute(_GET, _position(key)):
            return _decoded(item)
        return None

    def query(self, partition: str) -> Sequence[Item]:
        """All items of a partition, in order."""
        found = self._execute(_QUERY, (partition.encode(),))
        return [_decoded(item) for (item,) in found]

    def update(self, partition: str, sort: str) -> None:
        """Add one year to an item, if it has not too many."""
        with self._connection:
            self._add_year(partition, sort)

    def transact(self, new: Item, partition: str, sort: str) -> None:
        """Store an item that must be new, and add one year to another; or neither."""
        with self._connection:
            self._execute(_PUT_NEW, self._row(new))
            self._add_year(partition, sort)

    def batch(self, items: Sequence[Item]) -> None:
        """Store the items in one transaction."""
        with self._connection:
            for item in items:
                self._execute(_PUT, self._row(item))

    def count(self, partition: str) -> int:
        """How many items a partition has."""
        ((found,),) = self._execute(_COUNT, (partition.encode(),))
        return cast(int, found)

    def _add_year(self, partition: str, sort: str) -> None:
        position = (partition.encode(), sort.encode())
        ((text,),) = self._execute(_GET, position)
        item = _decoded(text)
        years = int(item["years"]["N"])
        if years >= _MOST_YEARS:
            raise WrongAnswer(f"{partition} {sort} has {years} years already")
        item["years"]["N"] = str(years + 1)
        self._execute(_UPDATE, (self._encode(item).decode(), *position))

    def _row(self, item: Item) -> tuple[bytes, bytes, str]:
        return (*_position(item), self._encode(item).decode())


def _decoded(text: object) -> Item:
    # What stands in the table was put there from an item.
    return cast(Item, msgspec.json.decode(cast(str, text)))


def _statements(connection: apsw.Connection) -> Execute:
    # apsw's stub names a type that Python 3.11 does not have, so the checker knows half of it.
    return cast(Execute, connection.execute)  # pyright: ignore[reportUnknownMemberType]


def _position(key: Item) -> tuple[bytes, bytes]:
    return key["PK"]["S"].encode(), key["SK"]["S"].encode()


@contextmanager
def raw_sqlite(path: Path | None = None) -> Generator[RawSQLite]:
    """A new database in memory or in a file, as durable as the engine's is."""
    connection = apsw.Connection(":memory:" if path is None else str(path), statementcachesize=500)
    if path is not None:
        execute = _statements(connection)
        execute("PRAGMA journal_mode = WAL")
        execute("PRAGMA synchronous = FULL")
    try:
        yield RawSQLite(connection)
    finally:
        connection.close()
