"""How many items each table and index has, and their size, without reading them.

A write appends what it changes to a list in memory. The end of a block of changes stores the sums,
in the transaction of the block's last change, and opening a file adds up the few changes since
then. So a write costs no statement, and a crash loses no count.

A count that cannot be trusted, because a change or the stored count is damaged, is unknown: the
rows are counted by reading them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

import apsw
from msgspec import DecodeError

from dynamodb_engine.engine.key_validation import has_valid_keys
from dynamodb_engine.engine.storage import (
    CHANGE_COLUMNS,
    DamagedData,
    Execute,
    Rows,
    check_values,
    is_intact_change,
    values_checksum,
)
from dynamodb_engine.engine.table import Table
from dynamodb_engine.values import Item, item_from_json, item_size

Count: TypeAlias = tuple[int, int]  # rows, and the sum of their sizes
# The name of a SQL table, and what was added to its count and size. Without a count, the table is
# new if the size is 0, and its count is unknown if it is 1.
_Entry: TypeAlias = tuple[str, int | None, int]
_NEW, _UNKNOWN = 0, 1

_SAVE = "INSERT OR REPLACE INTO row_counts VALUES (?, ?, ?, ?, ?)"
_DELETE = "DELETE FROM row_counts WHERE name = ?"


class RowCounts:
    """The counts by SQL table: readers see the last commit, the writer sees its own changes."""

    def __init__(self) -> None:
        self._stored: dict[str, Count] = {}
        self._entries: list[_Entry] = []  # since the counts were stored
        self._saved = 0  # as many entries are in the counts that the current transaction stored
        self._visible = (self._stored, self._entries, 0)

    def read(self, execute: Execute, rows: Rows, *, uncommitted: bool) -> Count:
        """Return the number of rows and the sum of their sizes."""
        stored, entries, length = self._visible
        if uncommitted:
            length = len(entries)
        known = _sums(stored, [each for each in entries[:length] if each[0] == rows.name])
        count = known.get(rows.name, stored.get(rows.name))
        return rows.count(execute) if count is None else count

    def add(self, name: str, count: int, size: int) -> None:
        """Count rows that were added, or removed if the numbers are negative."""
        self._entries.append((name, count, size))

    def start(self, execute: Execute, rows: Rows, position: int) -> None:
        """Count the rows of a new table or index, and store the count.

        It includes the changes up to the position, which is that of the last change.
        """
        count = rows.count(execute)
        self._entries += [(rows.name, None, _NEW), (rows.name, *count)]
        save_count(execute, rows.name, count, position)

    def forget(self, execute: Execute, name: str) -> None:
        """Forget a dropped table or index."""
        self._entries.append((name, None, _UNKNOWN))
        execute(_DELETE, (name,))

    def save(self, execute: Execute, position: int) -> None:
        """Store the counts that have changed, which include the changes up to the position."""
        for name, known in _sums(self._stored, self._entries).items():
            if known is None:
                execute(_DELETE, (name,))
            else:
                save_count(execute, name, known, position)
        self._saved = len(self._entries)

    def snapshot(self) -> tuple[int, int]:
        """Return the uncommitted state."""
        return len(self._entries), self._saved

    def restore(self, snapshot: tuple[int, int]) -> None:
        """Go back to a state that `snapshot` returned."""
        length, self._saved = snapshot
        del self._entries[length:]

    def commit(self) -> None:
        """Make the writer's counts visible to readers."""
        if self._saved:
            stored = self._stored | _sums(self._stored, self._entries[: self._saved])
            self._stored = {name: known for name, known in stored.items() if known is not None}
            self._entries = self._entries[self._saved :]
            self._saved = 0
        self._visible = (self._stored, self._entries, len(self._entries))

    def load(self, execute: Execute, tables: Iterable[Table], block: int) -> None:
        """Read the stored counts, and add the changes since the end of the last block."""
        tables = list(tables)
        try:
            self._stored, self._entries = _read(execute, tables, block)
        except (apsw.Error, DamagedData, DecodeError, UnicodeDecodeError):
            names = [rows.name for table in tables for rows in all_rows(table)]
            self._stored, self._entries = {}, [(name, None, _UNKNOWN) for name in names]
        self.commit()


class CountedRows(RowCounts):
    """Counts nothing: a SQL server, where many processes write, counts or estimates the rows."""

    def read(self, execute: Execute, rows: Rows, *, uncommitted: bool) -> Count:
        """Return the number of rows and the sum of their sizes."""
        return rows.count(execute)

    def add(self, name: str, count: int, size: int) -> None:
        """Do nothing."""

    def start(self, execute: Execute, rows: Rows, position: int) -> None:
        """Do nothing."""

    def forget(self, execute: Execute, name: str) -> None:
        """Do nothing."""


def all_rows(table: Table) -> tuple[Rows, ...]:
    """Return the rows of a table and of its indexes."""
    return table.rows, *(index.rows for index in table.indexes)


def save_count(execute: Execute, name: str, count: Count, position: int) -> None:
    """Store the number and size of the rows of a SQL table after the change at the position."""
    values = (name, *count, position)
    execute(_SAVE, (*values, values_checksum(values)))


def read_counts(execute: Execute, tables: Iterable[Table], block: int) -> dict[str, Count]:
    """Return the counts by SQL table in a file, given the last change of the last block.

    Raise DamagedData if a count, or a change since then, is damaged.
    """
    stored, entries = _read(execute, tables, block)
    counts = stored | _sums(stored, entries)
    return {name: known for name, known in counts.items() if known is not None}


def _read(
    execute: Execute, tables: Iterable[Table], block: int
) -> tuple[dict[str, Count], list[_Entry]]:
    """Return the stored counts, and an entry for each change that they do not include."""
    stored: dict[str, Count] = {}
    positions: dict[str, int] = {}
    for name, count, size, position, checksum in execute(
        "SELECT name, items, bytes, position, checksum FROM row_counts"
    ):
        check_values(f"The count of the rows {name}", checksum, name, count, size, position)
        stored[name], positions[name] = (count, size), position
    by_number = {table.record.number: table for table in tables}
    entries: list[_Entry] = []
    start = max(block, min(positions.values(), default=0))
    for position, number, old, new in _changes_since(execute, start):
        if (table := by_number.get(number)) is not None:
            effects = _effects(table, old, new)
            entries += [each for each in effects if position > positions.get(each[0], position)]
    return stored, entries


def _sums(stored: dict[str, Count], entries: Iterable[_Entry]) -> dict[str, Count | None]:
    """Return the counts of the tables that have entries; None if they are unknown."""
    sums: dict[str, Count | None] = {}
    for name, count, size in entries:
        known = sums[name] if name in sums else stored.get(name)
        if count is None:
            sums[name] = (0, 0) if size == _NEW else None
        else:
            sums[name] = None if known is None else (known[0] + count, known[1] + size)
    return sums


def _changes_since(
    execute: Execute, position: int
) -> Iterator[tuple[int, int, Item | None, Item | None]]:
    """Yield the position, the table's number, the old and the new item of the changes."""
    select = f"SELECT {CHANGE_COLUMNS} FROM changes WHERE position > ? ORDER BY position"
    for row in execute(select, (position,)):
        if row[0] != position + 1 or not is_intact_change(row):
            raise DamagedData(f"The change feed after {position}")
        position, number, old, new = row[0], row[1], row[6], row[7]
        yield position, number, _decode(old), _decode(new)


def _decode(json: bytes | None) -> Item | None:
    return None if json is None else item_from_json(json)


def _effects(table: Table, old: Item | None, new: Item | None) -> Iterator[tuple[str, int, int]]:
    """Yield the name of each SQL table, and what the change added to its count and size."""
    for item, sign in ((old, -1), (new, 1)):
        if item is not None:
            yield table.rows.name, sign, sign * item_size(item)
            for index in table.indexes:
                if has_valid_keys(index, item):
                    yield index.rows.name, sign, sign * item_size(index.project(item))
