"""Check a database file: SQLite's structure, checksums, indexes, the change feed and table records.

The check reads one snapshot and never writes, so it can run while an engine uses the file.
"""

from __future__ import annotations

import fcntl
import os
import sys
from bisect import bisect
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

import apsw
from msgspec import DecodeError

from dynamodb_engine.engine.key_validation import has_valid_keys
from dynamodb_engine.engine.row_counts import Count, read_counts
from dynamodb_engine.engine.storage import (
    DamagedData,
    Execute,
    RowKey,
    SqliteLayout,
    SqliteRows,
    check_values,
    is_intact_change,
)
from dynamodb_engine.engine.storage.sqlite.connection import (
    CHANGE_COLUMNS,
    COUNTED,
    MAX_POSITION,
    TOKEN_COLUMNS,
    bind_execute,
    file_format,
    is_initialized,
)
from dynamodb_engine.engine.storage.sqlite.file_lock import check_log_is_unused, is_open_here
from dynamodb_engine.engine.storage.sqlite.log_identity import check_log, has_log_id
from dynamodb_engine.engine.storage.sqlite.page_checksums import (
    READ_DAMAGED_PAGES,
    checksum_vfs,
    describe_error,
)
from dynamodb_engine.engine.table import Index, Table, build_table
from dynamodb_engine.engine.table_record import decode_record
from dynamodb_engine.errors import StorageError
from dynamodb_engine.values import Item, item_from_json, item_size

OnProgress = Callable[[int, int], None]
_STEP = 500
_FRAME = 24 + 4096  # of SQLite's log: a header and a page
UNREADABLE = (apsw.Error, UnicodeDecodeError)
OPEN_DAMAGED_SCHEMA = "PRAGMA writable_schema = ON"


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem in a file: its place, and a description."""

    place: str
    what: str


@dataclass(slots=True)
class FileReport:
    """The result of a check; `tables` maps each table to its item count and size in bytes."""

    in_use: bool = False
    tables: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    changes: int = 0
    problems: list[Problem] = field(default_factory=list[Problem])

    def add(self, place: str, what: str) -> None:
        """Add a problem."""
        self.problems.append(Problem(place, what))


@dataclass(frozen=True, slots=True)
class CheckedRow:
    """A row of a table, without `item` if it cannot be decoded or has another key than its row.

    Only long rows and those of older files have checksums. `is_intact` is False if it differs.
    """

    id: int
    partition: bytes
    sort: bytes
    size: int
    json: bytes
    item: Item | None
    has_checksum: bool
    is_intact: bool
    problem: str | None


@dataclass(frozen=True, slots=True)
class OpenFile:
    """A snapshot of a file to query, and the report of its check."""

    execute: Execute
    report: FileReport
    connect: Callable[[], apsw.Connection]


@contextmanager
def open_for_check(path: Path) -> Generator[OpenFile]:
    """Open a snapshot of a file."""
    report = FileReport()
    with ExitStack() as stack:
        try:
            # The log of a file is beside it, not beside a link to it.
            file = Path(os.path.realpath(path, strict=True))
            if not file.is_file():
                raise StorageError(f"'{path}' is not a regular file.")
            if is_open_here(path):
                # Closing a second descriptor would drop SQLite's locks on the file.
                raise StorageError(f"'{path}' is open in this process. Check it from another one.")
            lock = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
            stack.callback(os.close, lock)
        except OSError as error:
            raise StorageError(f"'{path}' cannot be read: {error.strerror}.") from None
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            report.in_use = True
        else:
            check_log_is_unused(path)
        # Without a log, open the file as immutable: then SQLite creates no files beside it.
        has_log = report.in_use or Path(f"{file}-wal").exists()
        mode = "mode=ro" if has_log else "immutable=1"
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        try:
            address = f"file:{quote(str(file))}?{mode}"
            connect = partial(apsw.Connection, address, flags=flags, vfs=checksum_vfs())
            connection = connect()
            stack.callback(connection.close)
            connection.set_busy_timeout(10_000)
            execute = bind_execute(connection)
            if has_log and not report.in_use:
                check_log(path, connection, checksum_vfs())
            try:
                execute("SELECT count(*) FROM sqlite_schema")
            except apsw.Error as error:
                report.add("SQLite", f"cannot open the file: {describe_error(error)}")
                execute(READ_DAMAGED_PAGES)
                # The connection stays read-only, but now SQLite opens files with a damaged schema
                # or a missing end.
                execute(OPEN_DAMAGED_SCHEMA)
            execute("BEGIN")
            if not is_initialized(execute, path):
                raise StorageError(f"'{path}' is empty, not a singletable database.")
        except UNREADABLE as error:
            advice = "Restore it from a backup."
            if has_log and not os.access(file.parent, os.W_OK):
                advice = (
                    f"SQLite needs another file beside the log to read it, but '{file.parent}' "
                    f"is not writable: copy '{file.name}' and '{file.name}-wal' to another folder, "
                    "and check the copy."
                )
            raise StorageError(
                f"'{path}' cannot be read as a database: {error}. {advice}"
            ) from error
        if has_log and not report.in_use and (lost := _count_lost_commits(file)) > 1:
            report.add(
                f"The log '{path}-wal'",
                f"is damaged: SQLite ignores the last {lost} commits in it. A power cut can cause "
                "this with --durability normal",
            )
        yield OpenFile(execute, report, connect)


def _count_lost_commits(file: Path) -> int:
    """Return the number of commits in a log after the frames that SQLite accepted.

    A power cut during a commit leaves one; there are more if a frame before them is damaged. Frames
    from an earlier use of the log have another salt than the header.
    """
    with suppress(OSError), open(f"{file}-wal", "rb") as log:
        accepted = int.from_bytes(Path(f"{file}-shm").read_bytes()[16:20], sys.byteorder)
        salt, lost = log.read(32)[16:24], 0
        log.seek(accepted * _FRAME, os.SEEK_CUR)
        while len(frame := log.read(_FRAME)) == _FRAME:
            lost += frame[8:16] == salt and any(frame[4:8])
        return lost
    return 0


def check_file(path: Path, on_progress: OnProgress = lambda done, total: None) -> FileReport:
    """Check a file and return a report."""
    with open_for_check(path) as file:
        execute, report = file.execute, file.report
        if not _check_structure(execute, report):
            execute(READ_DAMAGED_PAGES)
            _check_structure(execute, report)
        tables = list(read_tables(execute, report))
        progress = RowProgress.of(execute, tables, on_progress)
        counted: dict[str, Count] = {}
        for table in tables:
            for row in progress.each(_read_table(execute, table, report, counted)):
                if row.problem is not None:
                    report.add(describe_row(table, row), row.problem)
        _check_feed(execute, report)
        _check_counts(execute, tables, counted, report)
        _check_tokens(execute, report)
        _check_numbers(execute, report)
        _check_log_id(execute, report)
        return report


def _check_structure(execute: Execute, report: FileReport) -> bool:
    """Let SQLite check its pages and indexes; return False if a page is unreadable."""
    try:
        for (text,) in execute("PRAGMA integrity_check"):
            for line in str(text).splitlines():
                if line not in ("ok", "*** in database main ***"):
                    report.add("SQLite", line)
    except UNREADABLE as error:
        report.add("SQLite", f"the structure of the file cannot be read: {describe_error(error)}")
        return False
    return True


def read_tables(execute: Execute, report: FileReport) -> Iterator[Table]:
    """Yield the tables with intact records, and report the others."""
    expected: set[str] = set()
    try:
        existing = {
            name
            for (name,) in execute(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB '*_[0-9]*'"
            )
        }
        records = list(execute("SELECT number, name, record, checksum FROM tables"))
    except UNREADABLE as error:
        report.add("The records of tables", f"cannot be read: {error}")
        return
    for number, name, raw, checksum in records:
        place = f"The record of table '{name}'"
        try:
            check_values(place, checksum, number, name, raw)
            record = decode_record(raw)
        except (DamagedData, DecodeError):
            report.add(place, "is damaged, so its items cannot be checked")
            expected |= {each for each in existing if each.split("_")[1] == str(number)}
            continue
        if record.deleted_by is None:
            table = build_table(record, SqliteLayout(in_memory=False))
            names = {rows.name for rows in (table.rows, *(i.rows for i in table.indexes))}
            expected |= names
            if not names <= existing:
                missing = ", ".join(sorted(names - existing))
                report.add(f"Table '{name}'", f"has no rows in the file: {missing}")
            if table.rows.name in existing:
                yield table
    for name in sorted(existing - expected):
        report.add(f"The rows {name}", "belong to no table")


@dataclass(slots=True)
class RowProgress:
    """The number of rows read from all tables, which is reported from time to time."""

    on_progress: OnProgress
    total: int
    done: int = 0

    @classmethod
    def of(cls, execute: Execute, tables: Iterable[Table], on_progress: OnProgress) -> RowProgress:
        """Return the progress of reading all rows of these tables."""
        return cls(on_progress, sum(_count_rows(execute, table) for table in tables))

    def each(self, rows: Iterable[CheckedRow]) -> Iterator[CheckedRow]:
        """Yield the rows, and count them."""
        for row in rows:
            self.done += 1
            if self.done % _STEP == 0:
                self.on_progress(self.done, self.total)
            yield row


def _count_rows(execute: Execute, table: Table) -> int:
    try:
        return table.rows.count(execute)[0]
    except (*UNREADABLE, DamagedData):
        return 0


def _read_table(
    execute: Execute, table: Table, report: FileReport, counted: dict[str, Count]
) -> Iterator[CheckedRow]:
    """Yield the checked rows of a table, check its indexes, and count the rows of both."""
    count = size = 0
    indexes = [
        (index, number)
        for index in table.indexes
        if (number := _count_entries(execute, table, index, report)) is not None
    ]
    expected = dict.fromkeys((index.name for index, _ in indexes), (0, 0))
    try:
        for row in read_rows(execute, table):
            count, size = count + 1, size + (row.size if row.is_intact else 0)
            yield row
            if row.item is None:
                continue
            for index, _ in indexes:
                if has_valid_keys(index, row.item):
                    number, total = expected[index.name]
                    entry_size = item_size(index.project(row.item))
                    expected[index.name] = number + 1, total + entry_size
                    _check_entry(execute, table, index, row.item, report)
    except UNREADABLE as error:
        report.add(f"Table '{table.name}'", f"cannot be read to its end: {error}")
    report.tables[table.name] = counted[table.rows.name] = (count, size)
    for index, number in indexes:
        counted[index.rows.name] = expected[index.name]
        if number > expected[index.name][0]:
            items = f"the table has items for only {expected[index.name][0]}"
            report.add(_index_place(table, index), f"has {number} entries, but {items}")


def read_rows(execute: Execute, table: Table, where: str = "ORDER BY id") -> Iterator[CheckedRow]:
    """Yield rows of a table, each with its problem if any."""
    columns = "id, partition, sort, size, expires, item, checksum"
    for row in execute(f"SELECT {columns} FROM {table.rows.name} NOT INDEXED {where}"):
        yield _check_row(table, *row)


def _check_row(
    table: Table,
    id_: int,
    partition: Any,
    sort: Any,
    size: Any,
    expires: Any,
    json: Any,
    checksum: Any,
) -> CheckedRow:
    item, problem, is_intact = None, None, True
    try:
        item = item_from_json(json)
        if table.row_key(item) != (partition, sort):
            item, problem = None, "contains another key"
        elif item_size(item) != size:
            problem = f"has {item_size(item)} bytes, but its stored size is {size}"
        elif table.expires_at(item) != expires:
            problem = "has a wrong expiry time"
    except Exception:  # damaged bytes fail at any step of decoding, each with its own error
        item, problem = None, "cannot be decoded"
    try:
        cast(SqliteRows, table.rows).check.verify(partition, sort, size, json, checksum)
    except DamagedData:
        is_intact = False
        rest = "but can be decoded" if problem is None else f"and {problem}"
        problem = f"does not match its checksum, {rest}"
    return CheckedRow(id_, partition, sort, size, json, item, bool(checksum), is_intact, problem)


def describe_row(table: Table, row: CheckedRow) -> str:
    """Return the place of a row as text for messages."""
    if row.item is None:
        return table.describe_row(RowKey(row.partition, row.sort))
    return f"The item with {_key_text(table, row.item)} in table '{table.name}'"


def _key_text(table: Table, item: Item) -> str:
    return " and ".join(f"{name} {next(iter(item[name].values()))!r}" for name in table.key.names)


def _index_place(table: Table, index: Index) -> str:
    return f"Index '{index.name}' of table '{table.name}'"


def _check_entry(
    execute: Execute, table: Table, index: Index, item: Item, report: FileReport
) -> None:
    """Report an index entry that is missing, damaged or differs from its item."""
    place, projected = _index_place(table, index), index.project(item)
    try:
        entry = index.rows.get(execute, index.row_key(item))
        if entry is None:
            report.add(place, f"has no entry for the item with {_key_text(table, item)}")
        elif item_from_json(entry.json) != projected or entry.size != item_size(projected):
            report.add(place, f"differs from the item with {_key_text(table, item)}")
    except DamagedData as error:
        report.add(str(error), "does not match its checksum")
    except (*UNREADABLE, DecodeError) as error:
        report.add(place, f"has an entry that cannot be read: {error}")


def _count_entries(execute: Execute, table: Table, index: Index, report: FileReport) -> int | None:
    """Return the number of index entries, or report an unreadable index and return None."""
    try:
        ((count,),) = execute(f"SELECT count(*) FROM {index.rows.name} NOT INDEXED")
    except UNREADABLE as error:
        report.add(_index_place(table, index), f"cannot be read: {error}")
        return None
    return cast(int, count)


def _check_feed(execute: Execute, report: FileReport) -> None:
    place = "The change feed"
    previous: int | None = None
    positions: list[int] = []
    totals = [0]
    try:
        for row in execute(f"SELECT {CHANGE_COLUMNS} FROM changes ORDER BY position"):
            position, old, new = row[0], row[6], row[7]
            if previous is not None and position != previous + 1:
                report.add(place, f"has no changes between {previous} and {position}")
            if not is_intact_change(row):
                report.add(f"Change {position}", "does not match its checksum")
            positions.append(position)
            totals.append(totals[-1] + len(old or b"") + len(new or b""))
            previous = position
        report.changes = len(positions)
        blocks = list(execute("SELECT position, bytes FROM change_blocks ORDER BY position"))
        if blocks and (previous is None or blocks[-1][0] > previous):
            report.add(place, "has a block of changes that do not exist")
        oldest = positions[0] if positions else 1
        for (start, _), (end, stored) in pairwise([(0, 0), *blocks]):
            actual = totals[bisect(positions, end)] - totals[bisect(positions, start)]
            # The oldest changes of the first block may have been trimmed.
            if actual > stored or (actual < stored and start >= oldest - 1):
                report.add(place, f"has {actual} bytes up to change {end}, but recorded {stored}")
    except TypeError:
        report.add(place, "has values of wrong types")
    except UNREADABLE as error:
        report.add(place, f"cannot be read: {error}")


def _check_counts(
    execute: Execute, tables: list[Table], counted: dict[str, Count], report: FileReport
) -> None:
    """Report stored counts that cannot be read or differ from the number of rows."""
    place = "The counts of items"
    try:
        if file_format(execute) < COUNTED:
            return
        ((block,),) = execute("SELECT coalesce(max(position), 0) FROM change_blocks")
        counts = read_counts(execute, tables, block)
    except DamagedData as error:
        report.add(str(error), "is damaged")
    except (*UNREADABLE, DecodeError, TypeError) as error:
        report.add(place, f"cannot be read: {error}")
    else:
        for name, (count, size) in counted.items():
            if name not in counts:
                report.add(place, f"have none of the rows {name}")
            elif counts[name] != (count, size):
                stored = "{} and {} bytes".format(*counts[name])
                report.add(place, f"say {stored} in the rows {name}, with {count} and {size} bytes")


def _check_tokens(execute: Execute, report: FileReport) -> None:
    try:
        for *values, checksum in execute(f"SELECT {TOKEN_COLUMNS} FROM tokens"):
            check_values("", checksum, *values)
    except DamagedData:
        report.add("An idempotency token", "is damaged")
    except UNREADABLE as error:
        report.add("The idempotency tokens", f"cannot be read: {error}")


def _check_numbers(execute: Execute, report: FileReport) -> None:
    """Report a wrong counter, which would give the next table a number used before."""
    place = "The counter of table numbers"
    try:
        ((largest, last),) = execute(
            "SELECT max((SELECT coalesce(max(number), 0) FROM tables), "
            "(SELECT coalesce(max(number), 0) FROM changes)), "
            "(SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'tables')"
        )
        if not isinstance(last, int) or not largest <= last < MAX_POSITION:
            report.add(place, f"is {last}, but table number {largest} exists")
    except (*UNREADABLE, TypeError) as error:
        report.add(place, f"cannot be read: {error}")


def _check_log_id(execute: Execute, report: FileReport) -> None:
    """Report a missing id, without which a log of another file is not recognized."""
    try:
        if file_format(execute) >= COUNTED and not has_log_id(execute):
            report.add("The id of the log", "is missing or damaged")
    except UNREADABLE as error:
        report.add("The id of the log", f"cannot be read: {error}")
