"""A transaction on a SQL server: two round trips, however many writes it contains.

Rule 1. The first round trip locks the tables (shared) and the keys of all writes, in one order,
        and reads the versions of the tables and the rows at these keys.
Rule 2. Then the writes run on these rows in memory, one after the other; each sees what the ones
        before it did. A write that fails takes back its own statements only.
Rule 3. The second round trip sends the statements of all writes, then the changes for the feed,
        which lock its counter, and COMMIT.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from hashlib import blake2b
from typing import Any, cast

from singletable.engine.storage.interface import Row, RowKey
from singletable.engine.storage.server.dialect import (
    Dialect,
    Lookup,
    ResultRows,
    Statement,
    Value,
)


class ServerRow(Row, frozen=True):
    """A stored item, and when it expires."""

    expires: int | None = None


class Transaction:
    """One transaction, or with `is_open` False single statements outside of one.

    Calling it runs a statement at once, after the statements that wait. `catalog` is what the
    engine put there: its view of the tables.
    """

    def __init__(self, dialect: Dialect, connection: Any, catalog: Any) -> None:
        self.dialect = dialect
        self.connection = connection
        self.catalog = catalog
        self.is_open = False
        self.changes: list[tuple[Value, ...]] = []
        self.created: list[str] = []
        self.dropped: list[str] = []
        self._waiting: list[Statement] = []
        self._rows: dict[tuple[str, RowKey], ServerRow | None] = {}
        self._undo: list[tuple[tuple[str, RowKey], ServerRow | None]] = []
        self._has_sent = False
        catalog.pending_changes = self.changes

    def __call__(self, sql: str, values: tuple[Value, ...] = (), /) -> Iterator[tuple[Any, ...]]:
        """Run a statement with ? for each value, and return its rows."""
        return iter(self.run((_placeholders(sql), values)))

    def add(self, statement: Statement) -> None:
        """Add a statement of this dialect, without result, to those that wait."""
        self._waiting.append(statement)

    def run(self, statement: Statement) -> ResultRows:
        """Run a statement of this dialect at once and return its rows."""
        if self._waiting or not statement[0].startswith("SELECT"):
            self._has_sent = True
        statements, self._waiting = [*self._waiting, statement], []
        return self.dialect.run(self.connection, statements)[-1]

    def begin(self, numbers: Iterable[int], keys: Iterable[tuple[str, RowKey]]) -> dict[int, int]:
        """Lock tables and keys and read the rows; return the versions of the tables."""
        unique = sorted(set(keys))
        tables = self.dialect.lock_tables(set(numbers), exclusive=False)
        statements = [*_plain(self.dialect.begin), *tables]
        versions, lookups = len(statements) - 1, _by_name(unique)
        if lookups:
            statements.append(self.dialect.lock_keys(map(_hash, unique)))
            statements.append(self.dialect.lookup(lookups))
        self.is_open = True
        results = self.dialect.run(self.connection, statements)
        self._rows = dict.fromkeys(unique)
        if lookups:
            self._rows.update(_found(lookups, results[-1]))
        return dict(results[versions])

    def begin_alone(self) -> None:
        """Begin a transaction that changes tables; only one does at a time."""
        self.is_open = True
        statements = [*_plain(self.dialect.begin), self.dialect.lock_catalog()]
        self.dialect.run(self.connection, statements)

    def get(self, name: str, key: RowKey) -> ServerRow | None:
        """Return the row at `key`, as the writes so far leave it."""
        if (name, key) in self._rows:
            return self._rows[name, key]
        return next(iter(self.get_many([(name, key)])))

    def get_many(self, keys: list[tuple[str, RowKey]]) -> list[ServerRow | None]:
        """Return the rows at these keys, all from one snapshot."""
        if not keys:
            return []
        lookups = _by_name(sorted(set(keys)))
        found = _found(lookups, self.run(self.dialect.lookup(lookups)))
        return [found.get(key) for key in keys]

    def locked_rows(self, name: str) -> Iterator[tuple[RowKey, ServerRow]]:
        """Yield the locked rows of a table, as the writes so far leave them."""
        for (owner, key), row in list(self._rows.items()):
            if owner == name and row is not None:
                yield key, row

    def set_row(self, name: str, key: RowKey, row: ServerRow | None, statement: Statement) -> None:
        """Write a row with a statement that waits; a later `get` returns it."""
        place = name, key
        if place in self._rows:
            self._undo.append((place, self._rows[place]))
            self._rows[place] = row
        self._waiting.append(statement)

    def mark(self) -> tuple[int, int]:
        """Start a write, so that `undo` can take it back."""
        self._undo.clear()
        return len(self._waiting), len(self.changes)

    def undo(self, mark: tuple[int, int]) -> None:
        """Take back everything since `mark`."""
        statements, changes = mark
        del self._waiting[statements:], self.changes[changes:]
        for place, row in reversed(self._undo):
            self._rows[place] = row
        self._undo.clear()

    @property
    def has_changes(self) -> bool:
        """Return whether there is anything to commit."""
        return bool(self._has_sent or self._waiting or self.changes)

    def commit(self) -> int | None:
        """Send what waits, and commit. Return the newest position of the feed if it changed."""
        appended = self.dialect.append_changes(self.changes) if self.changes else []
        statements, self._waiting = [*self._waiting, *appended], []
        end = _plain(self.dialect.commit)
        results = self.dialect.run(self.connection, [*statements, *end])
        self.is_open = False
        return int(results[len(statements) - 1][0][0]) if appended else None

    def roll_back(self) -> None:
        """End the transaction without any effect."""
        if self.is_open:
            self._waiting = []
            self.dialect.run(self.connection, _plain(self.dialect.roll_back))
            self.is_open = False


def _plain(texts: Iterable[str]) -> list[Statement]:
    return [(text, ()) for text in texts]


def _by_name(keys: list[tuple[str, RowKey]]) -> list[Lookup]:
    groups: dict[str, list[RowKey]] = {}
    for name, key in keys:
        groups.setdefault(name, []).append(key)
    return list(groups.items())


def _found(lookups: list[Lookup], rows: ResultRows) -> dict[tuple[str, RowKey], ServerRow]:
    """Return the rows that a lookup found, by name and key."""
    found: dict[tuple[str, RowKey], ServerRow] = {}
    for number, place, size, expires, item in rows:
        name, keys = lookups[cast(int, number)]
        found[name, RowKey(*keys[cast(int, place) - 1])] = ServerRow(0, size, item, expires=expires)
    return found


def _hash(place: tuple[str, RowKey]) -> int:
    """Return a number of 64 bits, with a sign, that names the lock of a key."""
    name, (partition, sort) = place
    digest = blake2b(sort, key=name.encode(), digest_size=8, salt=partition[:16]).digest()
    return int.from_bytes(digest, "big", signed=True)


@lru_cache(1024)
def _placeholders(sql: str) -> str:
    return sql.replace("%", "%%").replace("?", "%s")
