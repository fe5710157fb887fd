"""Open SQLite connections: check the file format, set the pragmas, create the schema."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import cast

import apsw

from dynamodb_engine.engine.storage.interface import Execute
from dynamodb_engine.engine.storage.sqlite.checksums import DamagedData, values_checksum
from dynamodb_engine.engine.storage.sqlite.file_lock import FileLock
from dynamodb_engine.engine.storage.sqlite.log_identity import FIRST_LOG_ID, LOG_ID, check_log
from dynamodb_engine.engine.storage.sqlite.page_checksums import (
    checksum_vfs,
    describe_error,
    is_damaged_page,
    reserve_checksums,
)
from dynamodb_engine.engine.storage.sqlite.row_range import check_total
from dynamodb_engine.engine.storage.sqlite.rows import SqliteRows
from dynamodb_engine.errors import StorageError

# Identifies our files: "sngt" in the header field that SQLite reserves for applications.
APPLICATION_ID = 0x736E6774
VERSION = 6
# Files of these formats are upgraded when an engine opens them; others only read them.
OLDEST = 4
COUNTED = 5  # the first format with counts of rows and an id of the log

# How many rows each table and index had when the change at a position was committed.
_ROW_COUNTS = (
    "CREATE TABLE row_counts (name TEXT PRIMARY KEY, items INTEGER NOT NULL, bytes INTEGER NOT "
    "NULL, position INTEGER NOT NULL, checksum INTEGER NOT NULL)"
)

# The change feed in commit order. The newest change is never deleted, so that no position is used
# twice. `keys` has the names of the key attributes. The checksum is in the first page of each row.
_CHANGES = (
    "CREATE TABLE changes (position INTEGER PRIMARY KEY, number INTEGER NOT NULL, name TEXT NOT "
    "NULL, moment REAL NOT NULL, expired INTEGER NOT NULL, keys BLOB NOT NULL, "
    "checksum INTEGER NOT NULL, old BLOB, new BLOB)"
)

_SCHEMA = (
    # First, so that it is on the same page of every file.
    LOG_ID,
    FIRST_LOG_ID,
    # A table's description as JSON; `number` names its rows, so that a name can be reused.
    "CREATE TABLE tables (number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, record BLOB, "
    "checksum INTEGER)",
    _CHANGES,
    # The size in bytes of each block of changes up to a position, to limit the size of the feed.
    "CREATE TABLE change_blocks (position INTEGER PRIMARY KEY, bytes INTEGER NOT NULL)",
    # Idempotency tokens of transactions, stored for ten minutes.
    "CREATE TABLE tokens (token TEXT PRIMARY KEY, request BLOB, moment REAL, result BLOB, "
    "checksum INTEGER NOT NULL)",
    "CREATE INDEX tokens_by_moment ON tokens (moment)",
    _ROW_COUNTS,
)
# Every SELECT names its columns, because a damaged schema can have others.
CHANGE_COLUMNS = "position, number, name, moment, expired, keys, old, new, checksum"
TOKEN_COLUMNS = "token, request, moment, result, checksum"
# Larger positions and numbers are damaged; few more would fit after them. Ids of rows contain them.
MAX_POSITION = 2**57


def bind_execute(connection: apsw.Connection | apsw.Cursor) -> Execute:
    """Return the function that runs statements on the connection or cursor."""
    # apsw's stub uses a type that Python 3.11 does not have, so the checker knows half of it.
    return cast(Execute, connection.execute)  # pyright: ignore[reportUnknownMemberType]


def open_connection(
    path: Path | None,
    lock: FileLock | None,
    *,
    durable: bool,
    vfs: str | None,
    contents: bytes | None,
    initialize: bool = False,
) -> apsw.Connection:
    """Open a connection; with `initialize`, check the file first and create the schema."""
    if path is not None and vfs is None:
        vfs = checksum_vfs()
    try:
        connection = apsw.Connection(str(path or ":memory:"), vfs=vfs, statementcachesize=500)
        try:
            if contents is not None:
                connection.deserialize("main", contents)  # pyright: ignore[reportUnknownMemberType]
            if initialize and path is not None and vfs is not None:
                _check_unwritten(connection, path, vfs)
            _prepare(connection, path, durable=durable, initialize=initialize)
        except BaseException:
            connection.close()
            raise
    except (apsw.Error, UnicodeDecodeError, DamagedData) as error:
        raise unusable_file(path, error) from error
    if lock is not None:
        lock.add_connection(connection)
    return connection


def unusable_file(path: Path | None, error: Exception) -> StorageError:
    """Return the error for a file that SQLite cannot use, with advice."""
    if isinstance(error, apsw.CorruptError | UnicodeDecodeError | DamagedData) or is_damaged_page(
        error
    ):
        advice = (
            f"Restore it from a backup, or find all damage with: dynamodb-engine check {path} "
            "(--repair NEW_FILE copies everything intact)"
        )
    elif isinstance(error, apsw.NotADBError):
        advice = "Use the path of a new file, or of a file that singletable created."
    else:
        advice = "Check that the disk works and has free space."
    return StorageError(f"'{path}' cannot be used as a database: {describe_error(error)}. {advice}")


def _check_unwritten(connection: apsw.Connection, path: Path, vfs: str) -> None:
    """Raise StorageError unless the file and its log are ours; change neither."""
    # The last connection to close would copy the log to the file.
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    check_log(path, connection, vfs)
    is_initialized(bind_execute(connection), path)
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)


def _prepare(
    connection: apsw.Connection, path: Path | None, *, durable: bool, initialize: bool
) -> None:
    if connection.readonly("main"):
        # SQLite falls back to read-only if it cannot open the file for writing.
        raise StorageError(
            f"'{path}' can be read but not written. Check its permissions and the number of open "
            "files of this process."
        )
    connection.set_busy_timeout(10_000)
    execute = bind_execute(connection)
    if path is not None:
        if initialize:
            reserve_checksums(connection)
        execute("PRAGMA journal_mode = WAL")
        execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
    execute("PRAGMA temp_store = MEMORY")
    if initialize:
        create_schema(connection, path)


def is_initialized(execute: Execute, path: Path | None) -> bool:
    """Return True if the database has our schema, and False if it is empty.

    Raise StorageError if it belongs to another program.
    """
    ((application, version),) = execute(
        "SELECT application_id, user_version FROM pragma_application_id, pragma_user_version"
    )
    ((objects,),) = execute("SELECT count(*) FROM sqlite_schema")
    if application == APPLICATION_ID:
        if not OLDEST <= version <= VERSION:
            release = "a newer release" if version > VERSION else "the release that wrote it"
            raise StorageError(
                f"'{path}' has format {version}, but this release of singletable reads formats "
                f"{OLDEST} to {VERSION}. Use {release}."
            )
        return True
    if objects or application:
        raise StorageError(
            f"'{path}' is an SQLite database of another program. Use the path of a new file."
        )
    return False


def create_schema(connection: apsw.Connection, path: Path | None) -> None:
    """Create the schema in one transaction, or upgrade an older one."""
    execute = bind_execute(connection)
    if is_initialized(execute, path):
        if file_format(execute) < VERSION:
            _upgrade(execute)
        return
    execute("BEGIN IMMEDIATE")
    execute(f"PRAGMA application_id = {APPLICATION_ID}")
    for statement in _SCHEMA:
        execute(statement)
    execute(f"PRAGMA user_version = {VERSION}")
    execute("COMMIT")


def file_format(execute: Execute) -> int:
    """Return the version of the file's schema."""
    ((version,),) = execute("PRAGMA user_version")
    return cast(int, version)


def _upgrade(execute: Execute) -> None:
    """Verify the checksums of all rows and give the rows ids that no others have.

    In a file of format 4, also count the rows, store the counts, and give the file an id.
    """
    names = [
        cast(str, name)
        for (name,) in execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND "
            "(name GLOB 'items_[0-9]*' OR name GLOB 'index_[0-9]*')"
        )
    ]
    # First, because SQLite rolls a transaction back if it cannot read a page.
    counts = dict(_count_rows(execute, names)) if file_format(execute) < COUNTED else None
    execute("BEGIN IMMEDIATE")
    if counts is not None:
        for statement in (_ROW_COUNTS, LOG_ID, FIRST_LOG_ID):
            execute(statement)
        ((position,),) = execute("SELECT coalesce(max(position), 0) FROM changes")
        for name, (count, size) in counts.items():
            values = (name, count, size, position)
            insert = "INSERT INTO row_counts VALUES (?, ?, ?, ?, ?)"
            execute(insert, (*values, values_checksum(values)))
    for name in names:
        describe = partial("a row of {} does not match its checksum".format, name)
        SqliteRows.for_table(name, describe, in_memory=False).upgrade(execute)
    execute("ALTER TABLE changes RENAME TO older_changes")
    execute(_CHANGES)
    execute(
        f"INSERT INTO changes ({CHANGE_COLUMNS}) SELECT {CHANGE_COLUMNS} FROM older_changes "
        "ORDER BY position"
    )
    execute("DROP TABLE older_changes")
    execute(f"PRAGMA user_version = {VERSION}")
    execute("COMMIT")


def _count_rows(execute: Execute, names: list[str]) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield the name of each SQL table with rows, their number and size. Skip damaged ones."""
    for name in names:
        with suppress(apsw.Error, DamagedData):
            ((count, size),) = execute(f"SELECT count(*), coalesce(sum(size), 0) FROM {name}")
            yield name, check_total(count, size)
