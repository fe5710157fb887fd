"""The rows of a table or of an index, in the order of their keys.

A table and its indexes have one shape: partition bytes, sort bytes, the size that DynamoDB counts,
and the item as JSON. An index is a table of projected items, sorted by its own key and then by the
table's. Rows of a table also say when the item expires.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, cast

from msgspec import Struct

from singletable.engine.storage.execute import Execute
from singletable.engine.storage.stretch import Stretch, of_partition, of_partitions


class Row(Struct, frozen=True):
    """An item at rest."""

    id: int
    size: int
    json: bytes


class Position(NamedTuple):
    """Where a row stands."""

    partition: bytes
    sort: bytes


class Span(NamedTuple):
    """A stretch of one partition, from `low` on and below `high`; None is no bound."""

    partition: bytes
    low: bytes
    high: bytes | None


@dataclass(frozen=True, slots=True)
class Rows:
    """The SQL of one table or index, written once."""

    name: str
    select: str
    insert: str
    update: str
    remove: str
    upsert: str
    remove_key: str

    @classmethod
    def named(cls, name: str) -> Rows:
        """The rows that are kept under this name."""
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
        """Make room for the rows."""
        execute(
            f"CREATE TABLE {self.name} (id INTEGER PRIMARY KEY, partition BLOB NOT NULL, "
            "sort BLOB NOT NULL, size INTEGER NOT NULL, expires INTEGER, item BLOB NOT NULL, "
            "UNIQUE (partition, sort))"
        )

    def drop(self, execute: Execute) -> None:
        """Remove all rows, and the room for them."""
        execute(f"DROP TABLE {self.name}")

    def get(self, execute: Execute, at: Position) -> Row | None:
        """The row at a position."""
        for id_, size, json in cast("Iterator[tuple[int, int, bytes]]", execute(self.select, at)):
            return Row(id_, size, json)
        return None

    def add(
        self, execute: Execute, at: Position, size: int, json: bytes, expires: int | None = None
    ) -> None:
        """Set the row at a position that has none."""
        execute(self.insert, (at.partition, at.sort, size, expires, json))

    def replace(
        self, execute: Execute, id_: int, size: int, json: bytes, expires: int | None = None
    ) -> None:
        """Set a row anew."""
        execute(self.update, (size, expires, json, id_))

    def delete(self, execute: Execute, old: Row) -> None:
        """Remove a row."""
        execute(self.remove, (old.id,))

    def set_at(self, execute: Execute, at: Position, size: int, json: bytes) -> None:
        """Set the row at a position, whether there is one or not."""
        execute(self.upsert, (at.partition, at.sort, size, json))

    def remove_at(self, execute: Execute, at: Position) -> None:
        """Remove the row at a position, if there is one."""
        execute(self.remove_key, at)

    def between(self, span: Span, after: bytes | None, *, forward: bool) -> Stretch:
        """The rows of a span, in order, beginning after a position."""
        high = () if span.high is None else (span.high,)
        start = () if after is None else (after,)
        source = of_partition(self.name, bounded=bool(high), after=bool(start), forward=forward)
        return Stretch(source, (span.partition, span.low, *high, *start))

    def all_between(self, low: bytes, high: bytes | None, after: Position | None) -> Stretch:
        """The rows between two partition bounds, after a position."""
        above = () if high is None else (high,)
        start = () if after is None else after
        source = of_partitions(self.name, bounded=bool(above), after=bool(start))
        return Stretch(source, (low, *above, *start))

    def count(self, execute: Execute) -> tuple[int, int]:
        """How many rows there are, and the sum of their sizes."""
        ((count, size),) = execute(f"SELECT count(*), coalesce(sum(size), 0) FROM {self.name}")
        return cast(int, count), cast(int, size)

    def partition_size(self, execute: Execute, partition: bytes) -> int:
        """The sum of the sizes of one partition's rows."""
        ((size,),) = execute(
            f"SELECT coalesce(sum(size), 0) FROM {self.name} WHERE partition = ?", (partition,)
        )
        return cast(int, size)

    def expired(
        self, execute: Execute, since: int, until: int, limit: int
    ) -> list[tuple[Position, Row]]:
        """Rows whose time ended between two moments, the longest expired first."""
        found = execute(
            f"SELECT partition, sort, id, size, item FROM {self.name} "
            "WHERE expires > ? AND expires < ? ORDER BY expires LIMIT ?",
            (since, until, limit),
        )
        rows = cast("Iterator[tuple[bytes, bytes, int, int, bytes]]", found)
        return [
            (Position(partition, sort), Row(id_, size, json))
            for partition, sort, id_, size, json in rows
        ]
