"""A transaction on a SQL server: two round trips, however many writes it contains.

Rule 1. The first round trip locks the tables (shared) and the keys of all writes, in one order,
        and reads the versions of the tables and the rows at these keys.
Rule 2. Then the writes run on these rows in memory, one after the other; each sees what the ones
        before it did. A write that fails takes back only what it did itself.
Rule 3. The second round trip writes what is left at each key, a statement for all rows of a table,
        then the changes for the feed, which lock its counter, and COMMIT.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any, TypeAlias

from dynamodb_engine.engine.storage.interface import Row, RowKey
from dynamodb_engine.engine.storage.server.dialect import (
    IDLE_LIMIT,
    ChangeValues,
    Dialect,
    Lookup,
    ResultRows,
    RowValues,
    Statement,
    Value,
)

# A key of a table or an index: the name of its rows, and the key.
Place: TypeAlias = "tuple[str, RowKey]"


class ServerRow(Row, frozen=True):
    """A stored item, and when it expires."""

    expires: int | None = None


class TransactionExpired(Exception):
    """This process did nothing for so long that the server ends the transaction."""


class Transaction:
    """One transaction, or with `is_open` False single statements outside of one.

    Calling it runs a statement at once, after the writes so far. `catalog` is what the
    engine put there: its view of the tables.
    """

    def __init__(self, dialect: Dialect, connection: Any, catalog: Any) -> None:
        self.dialect = dialect
        self.connection = connection
        self.catalog = catalog
        self.is_open = False
        self.changes: list[ChangeValues] = []
        self.created: list[str] = []
        self.dropped: list[str] = []
        self._rows: dict[Place, ServerRow | None] = {}  # the locked rows, as the server has them
        self._writes: dict[Place, ServerRow | None] = {}  # not sent yet; None deletes a row
        self._has_sent = False
        self._answered = 0.0  # when the server answered last
        catalog.pending_changes = self.changes

    def __call__(self, sql: str, values: tuple[Value, ...] = (), /) -> Iterator[tuple[Any, ...]]:
        """Run a statement with ? for each value, and return its rows."""
        return iter(self.run((_placeholders(sql), values)))

    def run(self, statement: Statement) -> ResultRows:
        """Run a statement of this dialect at once and return its rows."""
        if self._writes or not statement[0].startswith("SELECT"):
            self._has_sent = True
        return self._send([*self._take_writes(), statement])[-1]

    def _send(self, statements: Sequence[Statement]) -> list[ResultRows]:
        results = self.dialect.run(self.connection, statements)
        self._answered = time.monotonic()
        return results

    def lock_free(self, numbers: Iterable[int], keys: Iterable[Place]) -> set[int | Place]:
        """Begin, lock what is free, and return the tables and keys that others have locked."""
        tables, unique = set(numbers), sorted(set(keys))
        names = {key: self.dialect.lock_name(lock_hash(key)) for key in unique}
        lookups = _by_name(unique)
        statements = [*_plain(self.dialect.begin)]
        first = len(statements)
        statements += self.dialect.lock_free(tables, map(lock_hash, unique))
        if lookups:
            statements.append(self.dialect.lookup(lookups))
            statements += map(self.dialect.lock_rows, lookups)
        self.is_open = True
        free_tables, free_keys, *others = self._send(statements)[first:]
        locked: set[int | Place] = {*tables}
        locked.difference_update(number for (number,) in free_tables)
        free = {name for (name,) in free_keys}
        locked.update(key for key in unique if names[key] not in free)
        if lookups:
            stored, *free_rows = others
            owned = {
                (name, bytes(key))
                for (name, _), rows in zip(lookups, free_rows, strict=True)
                for (key,) in rows
            }
            for name, key in _found(lookups, stored):
                if (name, b"".join(key)) not in owned:
                    locked.add((name, key))
        return locked

    def begin(self, numbers: Iterable[int], keys: Iterable[Place]) -> dict[int, int]:
        """Lock tables and keys and read the rows; return the versions of the tables."""
        unique = sorted(set(keys))
        locks = self.dialect.lock(set(numbers), map(lock_hash, unique))
        statements = [*([] if self.is_open else _plain(self.dialect.begin)), *locks]
        versions, lookups = len(statements) - 1, _by_name(unique)
        if lookups:
            statements.append(self.dialect.lookup(lookups))
        self.is_open = True
        results = self._send(statements)
        self._rows = dict.fromkeys(unique)
        if lookups:
            self._rows.update(_found(lookups, results[-1]))
        return dict(results[versions])

    def begin_alone(self) -> None:
        """Begin a transaction that changes tables; only one does at a time."""
        self.is_open = True
        statements = [*_plain(self.dialect.begin), self.dialect.lock_catalog()]
        self._send(statements)

    def get(self, name: str, key: RowKey) -> ServerRow | None:
        """Return the row at `key`, as the writes so far leave it."""
        for rows in (self._writes, self._rows):
            if (name, key) in rows:
                return rows[name, key]
        return next(iter(self.get_many([(name, key)])))

    def get_many(self, keys: list[Place]) -> list[ServerRow | None]:
        """Return the rows at these keys, all from one snapshot."""
        if not keys:
            return []
        lookups = _by_name(sorted(set(keys)))
        found = _found(lookups, self.run(self.dialect.lookup(lookups)))
        return [found.get(key) for key in keys]

    def locked_rows(self, name: str) -> Iterator[tuple[RowKey, ServerRow]]:
        """Yield the locked rows of a table, as the writes so far leave them."""
        for (owner, key), row in [*({**self._rows, **self._writes}).items()]:
            if owner == name and row is not None:
                yield key, row

    def set_row(self, name: str, key: RowKey, row: ServerRow | None) -> None:
        """Write a row, or delete it, when the transaction commits; a later `get` returns it."""
        self._writes[name, key] = row

    def mark(self) -> tuple[dict[Place, ServerRow | None], int]:
        """Start a write, so that `undo` can take it back."""
        return self._writes.copy(), len(self.changes)

    def undo(self, mark: tuple[dict[Place, ServerRow | None], int]) -> None:
        """Take back everything since `mark`."""
        self._writes, count = mark
        del self.changes[count:]

    @property
    def has_changes(self) -> bool:
        """Return whether there is anything to commit."""
        return bool(self._has_sent or self._writes or self.changes)

    def commit(self) -> None:
        """Send the writes and the changes, and commit.

        Raises TransactionExpired, and sends nothing, if the server has probably rolled back.
        """
        if self.is_open and time.monotonic() - self._answered >= IDLE_LIMIT:
            raise TransactionExpired
        appended = self.dialect.append_changes(self.changes) if self.changes else []
        end = _plain(self.dialect.commit)
        self.dialect.run(self.connection, [*self._take_writes(), *appended, *end])
        self.is_open = False

    def roll_back(self) -> None:
        """End the transaction without any effect."""
        if self.is_open:
            self._writes = {}
            self.dialect.run(self.connection, _plain(self.dialect.roll_back))
            self.is_open = False

    def _take_writes(self) -> list[Statement]:
        """Return the statements for the writes so far, which count as sent from now on."""
        writes, self._writes = self._writes, {}
        statements: list[Statement] = []
        groups: dict[tuple[str, bool], list[RowValues]] = {}
        for (name, key), row in writes.items():
            if row is None:
                statements.append((f"DELETE FROM {name} WHERE hash = %s AND sort = %s", (*key,)))
            else:
                is_new = self._rows.get((name, key), row) is None
                values = (*key, row.size, row.expires, row.json)
                groups.setdefault((name, is_new), []).append(values)
        for (name, is_new), rows in groups.items():
            statements += self.dialect.write_rows(name, rows, new=is_new)
        self._rows.update((place, row) for place, row in writes.items() if place in self._rows)
        return statements


def _plain(texts: Iterable[str]) -> list[Statement]:
    return [(text, ()) for text in texts]


def _by_name(keys: list[Place]) -> list[Lookup]:
    groups: dict[str, list[RowKey]] = {}
    for name, key in keys:
        groups.setdefault(name, []).append(key)
    return list(groups.items())


def _found(lookups: list[Lookup], rows: ResultRows) -> dict[Place, ServerRow]:
    """Return the rows that a lookup found, by name and key."""
    places = {
        (number, partition + sort): (name, RowKey(partition, sort))
        for number, (name, keys) in enumerate(lookups)
        for partition, sort in keys
    }
    return {
        places[number, key]: ServerRow(0, size, item, expires=expires)
        for number, key, size, expires, item in rows
    }


def lock_hash(place: Place) -> int:
    """Return a number of 64 bits, with a sign, that names the lock of a key."""
    name, (partition, sort) = place
    digest = blake2b(sort, key=name.encode(), digest_size=8, salt=partition[:16]).digest()
    return int.from_bytes(digest, "big", signed=True)


@lru_cache(1024)
def _placeholders(sql: str) -> str:
    return sql.replace("%", "%%").replace("?", "%s")
