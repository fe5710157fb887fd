"""Repair a damaged file: copy its intact items and changes to a new one and rebuild the indexes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from singletable.engine.control.backfill import backfill, fill_expiry
from singletable.engine.file_check import (
    UNREADABLE,
    CheckedRow,
    FileReport,
    describe_key,
    open_for_check,
    read_rows,
    read_tables,
)
from singletable.engine.storage import Database, Execute, RowKey, is_intact_change, values_checksum
from singletable.engine.storage.checksums import change_checksum
from singletable.engine.table import Table
from singletable.engine.table_record import encode_record
from singletable.errors import StorageError
from singletable.values import item_size, item_to_json


@dataclass(slots=True)
class RepairReport:
    """The result of a repair; `problems` lists tables that could not be read at all."""

    kept: int = 0
    accepted: int = 0
    lost: list[str] = field(default_factory=list[str])
    changes: int = 0
    problems: list[str] = field(default_factory=list[str])


def repair_file(
    path: Path, target: Path, lost_items: Path, *, accept_items: bool = False
) -> RepairReport:
    """Copy the intact items and changes of a file to a new one, without idempotency tokens.

    Items that do not match their checksum go to the file `lost_items`, one JSON object per line.
    With `accept_items`, they are copied nevertheless if they can be decoded and have the right key.
    Reading changes up to the last damaged one raises TrimmedDataAccess.
    """
    if os.path.lexists(target) or os.path.lexists(lost_items):
        raise StorageError(f"'{target}' or '{lost_items}' already exists. Choose a new file.")
    report = RepairReport()
    with open_for_check(path) as (source, in_use):
        if in_use:
            raise StorageError(f"'{path}' is open in an engine. Close it there first.")
        try:
            handle = os.open(lost_items, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError as error:
            raise StorageError(f"'{lost_items}' cannot be written: {error.strerror}.") from None
        database = Database(target)
        try:
            with open(handle, "w", encoding="utf-8") as quarantine:

                def keep_lost(table: Table, row: CheckedRow) -> None:
                    report.lost.append(f"{describe_key(table, row)} in table '{table.name}'")
                    values = {"partition": row.partition, "sort": row.sort, "item": row.json}
                    texts = {name: _text(value) for name, value in values.items()}
                    line = {"table": table.name, **texts, "problem": row.problem}
                    quarantine.write(json.dumps(line) + "\n")

                def copy(execute: Execute) -> None:
                    tables = FileReport()
                    for table in read_tables(source, tables):
                        _create_table(execute, table)
                        quarantined: set[RowKey] = set()
                        for row in _readable_rows(source, table, report):
                            if row.item is None or not (row.is_intact or accept_items):
                                quarantined.add(RowKey(row.partition, row.sort))
                                keep_lost(table, row)
                            else:
                                report.accepted += not row.is_intact
                                _add(execute, table, row)
                                report.kept += 1
                        report.lost += _missing_keys(source, execute, table, quarantined)
                        for index in table.indexes:
                            backfill(table, index, execute)
                        if table.ttl_attribute is not None:
                            fill_expiry(table, execute)
                    report.problems += [f"{each.place} {each.what}" for each in tables.problems]
                    _copy_changes(source, execute, report)

                database.write(copy)
        finally:
            database.close()
    if not report.lost:
        lost_items.unlink()
    return report


def _text(value: object) -> str:
    return value.decode(errors="backslashreplace") if isinstance(value, bytes) else repr(value)


def _create_table(execute: Execute, table: Table) -> None:
    record = table.record
    raw = encode_record(record)
    checksum = values_checksum((record.number, record.name, raw))
    execute("INSERT INTO tables VALUES (?, ?, ?, ?)", (record.number, record.name, raw, checksum))
    for rows in (table.rows, *(index.rows for index in table.indexes)):
        rows.create(execute)


def _add(execute: Execute, table: Table, row: CheckedRow) -> None:
    assert row.item is not None
    table.rows.upsert(
        execute, RowKey(row.partition, row.sort), item_size(row.item), item_to_json(row.item)
    )


def _readable_rows(source: Execute, table: Table, report: RepairReport) -> Iterator[CheckedRow]:
    """Yield the rows before and after a page that SQLite cannot read."""
    last: int | None = None
    try:
        for row in read_rows(source, table):
            last = row.id
            yield row
        return
    except UNREADABLE as error:
        after = "" if last is None else f" after row {last}"
        report.lost.append(f"rows of table '{table.name}'{after}: {error}")
    try:
        for row in read_rows(source, table, backward=True):
            if last is not None and row.id <= last:
                return
            yield row
    except UNREADABLE:
        return


def _missing_keys(
    source: Execute, execute: Execute, table: Table, known: set[RowKey]
) -> Iterator[str]:
    """Yield the keys in SQLite's index for which no row could be read."""
    assert table.rows.checksums is not None
    try:
        for key in source(f"SELECT partition, sort FROM {table.rows.name} ORDER BY 1, 2"):
            if key not in known and table.rows.get(execute, RowKey(*key)) is None:
                yield table.rows.checksums.describe(*key)
    except UNREADABLE:
        return


def _copy_changes(source: Execute, execute: Execute, report: RepairReport) -> None:
    """Copy the changes after the last damaged one.

    If the newest change is damaged, the last intact one is stored again at the next position, so
    that no position is used twice.
    """
    kept: list[tuple[Any, ...]] = []
    newest, intact = 0, None
    try:
        for row in source("SELECT * FROM changes ORDER BY position"):
            if kept and row[0] != newest + 1:
                kept = []
            newest = row[0]
            if is_intact_change(row):
                intact = row
                kept.append(row)
            else:
                kept = []
    except UNREADABLE as error:
        kept = []
        report.lost.append(f"changes after {newest}: {error}")
    if not kept and intact is not None:
        values = (newest + 1, *intact[1:-1])
        kept = [(*values, change_checksum(values))]
    for change in kept:
        execute("INSERT INTO changes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", change)
    report.changes = len(kept)
