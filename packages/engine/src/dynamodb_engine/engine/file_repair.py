"""Repair a damaged file: copy its intact items and changes to a new one and rebuild the indexes.

Two connections read the file. One reads damaged pages as they are, and finds what is left. The
other verifies pages: a row is intact if it reads the same, or if it has a checksum of its own.
"""

from __future__ import annotations

import json
import os
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dynamodb_engine.engine import file_check, storage
from dynamodb_engine.engine.control.backfill import backfill, fill_expiry
from dynamodb_engine.engine.row_counts import all_rows, save_count
from dynamodb_engine.engine.storage.sqlite.connection import bind_execute
from dynamodb_engine.engine.storage.sqlite.page_checksums import READ_DAMAGED_PAGES
from dynamodb_engine.engine.table import Table
from dynamodb_engine.engine.table_record import encode_record
from dynamodb_engine.errors import StorageError
from dynamodb_engine.private_files import create_file, open_file
from dynamodb_engine.values import item_size, item_to_json

# More changes than the unreadable part of a feed can contain.
_UNREADABLE_CHANGES = 2**32


@dataclass(slots=True)
class RepairReport:
    """The result of a repair; `lost` describes everything that was not copied."""

    kept: int = 0
    accepted: int = 0
    lost: list[str] = field(default_factory=list[str])
    changes: int = 0


def repair_file(
    path: Path,
    target: Path,
    lost_items: Path,
    *,
    accept_items: bool = False,
    on_progress: file_check.OnProgress = lambda done, total: None,
) -> RepairReport:
    """Copy the intact items and changes of a file to a new one, without idempotency tokens.

    Items in damaged pages go to the file `lost_items`, one JSON object per line.
    With `accept_items`, they are copied nevertheless if they can be decoded and have the right key.
    Reading changes up to the last damaged one raises TrimmedDataAccess.
    """
    if os.path.lexists(target) or os.path.lexists(lost_items):
        raise StorageError(f"'{target}' or '{lost_items}' already exists. Choose a new file.")
    report = RepairReport()
    with file_check.open_for_check(path) as file, closing(file.connect()) as verified:
        source, found = file.execute, file.report
        if found.in_use:
            raise StorageError(f"'{path}' is open in an engine. Close it there first.")
        source(READ_DAMAGED_PAGES)
        verifying = bind_execute(verified)
        verifying(file_check.OPEN_DAMAGED_SCHEMA)
        with (
            _new_files(target, lost_items),
            open_file(lost_items, "w", encoding="utf-8") as quarantine,
            closing(storage.Database(target)) as database,
        ):

            def keep_lost(table: Table, row: file_check.CheckedRow) -> None:
                report.lost.append(file_check.describe_row(table, row))
                values = {"partition": row.partition, "sort": row.sort, "item": row.json}
                texts = {name: _text(value) for name, value in values.items()}
                line = {"table": table.name, **texts, "problem": row.problem}
                quarantine.write(json.dumps(line) + "\n")

            def copy(execute: storage.Execute) -> None:
                tables = list(file_check.read_tables(source, found))
                progress = file_check.RowProgress.of(source, tables, on_progress)
                for table in tables:
                    _create_table(execute, table)
                    quarantined: set[storage.RowKey] = set()
                    for row in progress.each(_readable_rows(source, table, report)):
                        key = storage.RowKey(row.partition, row.sort)
                        is_intact = _is_intact(verifying, table, row)
                        if row.item is None or not (is_intact or accept_items):
                            quarantined.add(key)
                            keep_lost(table, row)
                        else:
                            size, raw = item_size(row.item), item_to_json(row.item)
                            table.rows.upsert(execute, key, size, raw)
                            report.accepted += not is_intact
                            report.kept += 1
                    report.lost += _missing_keys(source, execute, table, quarantined)
                    for index in table.indexes:
                        backfill(table, index, execute)
                    if table.ttl_attribute is not None:
                        fill_expiry(table, execute)
                report.lost += [f"{each.place} {each.what}" for each in found.problems]
                _copy_changes(source, verifying, execute, tables, report)
                _store_counts(execute, tables)

            database.write(copy)
    if lost_items.stat().st_size == 0:
        lost_items.unlink()
    return report


@contextmanager
def _new_files(target: Path, lost_items: Path) -> Generator[None]:
    """Create the files of a repair, and delete them if it fails."""
    created: list[Path] = []
    try:
        for path in (target, lost_items):
            create_file(path)
            created.append(path)
        yield
    except BaseException as error:
        for path in created:
            for suffix in ("", "-wal", "-shm"):
                Path(f"{path}{suffix}").unlink(missing_ok=True)
        if isinstance(error, StorageError) and storage.is_disk_full(error):
            raise StorageError(f"'{target}' cannot be written: the disk is full.") from None
        if isinstance(error, OSError):
            name = error.filename or target
            raise StorageError(f"'{name}' cannot be written: {error.strerror}.") from None
        raise


def _text(value: object) -> str:
    return value.decode(errors="backslashreplace") if isinstance(value, bytes) else repr(value)


def _create_table(execute: storage.Execute, table: Table) -> None:
    record = table.record
    raw = encode_record(record)
    checksum = storage.values_checksum((record.number, record.name, raw))
    execute("INSERT INTO tables VALUES (?, ?, ?, ?)", (record.number, record.name, raw, checksum))
    for rows in all_rows(table):
        rows.create(execute)


def _is_intact(verifying: storage.Execute, table: Table, row: file_check.CheckedRow) -> bool:
    if row.has_checksum or not row.is_intact:
        return row.is_intact
    select = f"SELECT partition, sort, size, item FROM {table.rows.name} NOT INDEXED WHERE id = ?"
    return _reads(verifying, select, row.id, (row.partition, row.sort, row.size, row.json))


def _reads(verifying: storage.Execute, select: str, id_: int, row: tuple[Any, ...]) -> bool:
    """Return whether a row reads the same with verified pages."""
    try:
        return list(verifying(select, (id_,))) == [row]
    except file_check.UNREADABLE:
        return False


def _readable_rows(
    source: storage.Execute, table: Table, report: RepairReport
) -> Iterator[file_check.CheckedRow]:
    """Yield the rows before, after and between the pages that SQLite cannot read."""
    last, first = -(2**63), 2**63 - 1
    try:
        for row in file_check.read_rows(source, table):
            last = row.id
            yield row
        return
    except file_check.UNREADABLE as error:
        report.lost.append(f"rows of table '{table.name}': {error}")
    try:
        for row in file_check.read_rows(source, table, "ORDER BY id DESC"):
            if row.id <= last:
                return
            first = row.id
            yield row
        return
    except file_check.UNREADABLE:
        pass
    for id_, *_ in _read_index(source, table):
        if last < id_ < first:
            with suppress(*file_check.UNREADABLE):
                yield from file_check.read_rows(source, table, f"WHERE id = {id_}")


def _read_index(source: storage.Execute, table: Table) -> Iterator[tuple[Any, ...]]:
    """Yield the id and key of every row from SQLite's index, which is stored separately."""
    with suppress(*file_check.UNREADABLE):
        yield from source(f"SELECT id, partition, sort FROM {table.rows.name} ORDER BY 2, 3")


def _missing_keys(
    source: storage.Execute, execute: storage.Execute, table: Table, known: set[storage.RowKey]
) -> Iterator[str]:
    """Yield the keys in SQLite's index for which no row could be read."""
    for _, *values in _read_index(source, table):
        key = storage.RowKey(*values)
        if key not in known and table.rows.get(execute, key) is None:
            yield table.describe_row(key)


def _copy_changes(
    source: storage.Execute,
    verifying: storage.Execute,
    execute: storage.Execute,
    tables: list[Table],
    report: RepairReport,
) -> None:
    """Copy the changes after the last damaged one.

    No position may be used twice, because readers would miss the second change. If the newest
    change is damaged, the last intact one, or a change of an item to itself, is stored after it.
    """
    kept: list[tuple[Any, ...]] = []
    newest, intact = 0, None
    try:
        select = f"SELECT {storage.CHANGE_COLUMNS} FROM changes"
        for row in source(f"{select} ORDER BY position"):
            if kept and row[0] != newest + 1:
                kept = []
            # A damaged schema can hide positions.
            newest = row[0] if isinstance(row[0], int) else _UNREADABLE_CHANGES
            if storage.is_intact_change(row) and (
                row[-1] or _reads(verifying, f"{select} WHERE position = ?", row[0], row)
            ):
                intact = row
                kept.append(row)
            else:
                kept = []
    except file_check.UNREADABLE as error:
        kept = []
        report.lost.append(f"changes after {newest}: {error}")
        newest += _UNREADABLE_CHANGES
    last = next(_unchanged_items(execute, tables), None) if intact is None else intact[1:-1]
    if not kept and newest and last is not None:
        values = (min(newest + 1, storage.MAX_POSITION // 2), *last)
        kept = [(*values, storage.change_checksum(values))]
    insert = f"INSERT INTO changes ({storage.CHANGE_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
    for change in kept:
        execute(insert, change)
    report.changes = len(kept)
    # A deleted table may still have changes, so its number must not be used again.
    execute("DELETE FROM sqlite_sequence")
    execute(
        "INSERT INTO sqlite_sequence SELECT 'tables', max(coalesce((SELECT max(number) FROM tables)"
        ", 0), coalesce((SELECT max(number) FROM changes), 0))"
    )


def _store_counts(execute: storage.Execute, tables: list[Table]) -> None:
    """Store how many rows the new file has."""
    ((position,),) = execute("SELECT coalesce(max(position), 0) FROM changes")
    for table in tables:
        for rows in all_rows(table):
            save_count(execute, rows.name, rows.count(execute), position)


def _unchanged_items(execute: storage.Execute, tables: list[Table]) -> Iterator[tuple[Any, ...]]:
    """Yield, for each item, the values of a change to itself."""
    for table in tables:
        for _, item in table.rows.scan_range(b"", None, None).rows(execute):
            yield table.record.number, table.name, 0.0, 0, table.key_names_json, item, item
