"""Recognize the log that belongs to a database file, and reject any other.

SQLite finds a log by its name alone, and its pages replace those of the file: the log of another
file, or of another copy of this one, would mix the two.

Rule 1. A new file has a random id. The first transaction of every log replaces it, and stores the
        previous one as `base`. SQLite starts a log only when everything in the previous one is in
        the file, so the file itself contains one of the two ids of its log. In every file they are
        on page 2, the first after SQLite's own, so that the log of another file replaces them. (A
        file of format 4 that was upgraded has them on another page.)
Rule 2. This is checked once, when a log exists and before anything is written. Nothing else may
        write to the file through an unchecked log, so a connection that closes leaves it alone.
Rule 3. If the file cannot be read without its log, the log is accepted: a crash while SQLite copies
        the log to the file leaves such pages.
"""

from __future__ import annotations

import os
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple, cast
from urllib.parse import quote

import apsw

from dynamodb_engine.engine.storage.interface import Execute
from dynamodb_engine.engine.storage.sqlite.page_checksums import is_damaged_page
from dynamodb_engine.errors import StorageError

LOG_ID = "CREATE TABLE log_id (id BLOB NOT NULL, base BLOB NOT NULL)"
FIRST_LOG_ID = "INSERT INTO log_id VALUES (randomblob(16), zeroblob(16))"
RENEW_LOG_ID = "UPDATE log_id SET base = id, id = randomblob(16)"

# A shorter log contains no pages.
_HEADER = 32
# The number of pages after which every commit copies the log to the file: SQLite's own default.
_LONG = 1000


class Log:
    """The log of an open file. It does not refer to the connection, which refers to it."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._may_end = True
        connection.set_wal_hook(self._after_commit)

    def may_end(self, connection: apsw.Connection) -> bool:
        """Return whether the file has everything in the log, so that SQLite may start a new one."""
        if not self._may_end:
            return False
        # An interrupted hook has not noted the last commit, so ask SQLite, which takes longer.
        pages, copied = connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_NOOP)
        return pages == copied

    def checkpoint(self, connection: apsw.Connection, mode: int) -> None:
        """Copy the log to the file, as far as the disk and readers of the log permit."""
        self._may_end = True
        with suppress(apsw.Error):
            connection.wal_checkpoint(mode=mode)

    def _after_commit(self, connection: apsw.Connection, name: str, pages: int) -> int:
        self._may_end = False
        if pages >= _LONG:
            self.checkpoint(connection, apsw.SQLITE_CHECKPOINT_PASSIVE)
        return apsw.SQLITE_OK


class _Contents(NamedTuple):
    """What identifies a file, read with or without its log."""

    version: int
    id: bytes | None
    base: bytes | None


def check_log(path: Path, connection: apsw.Connection, vfs: str) -> None:
    """Raise StorageError if the log beside the file belongs to another one.

    The connection has the file open with its log, and has written nothing. The file must not be in
    use.
    """
    file = os.path.realpath(path)
    log = Path(f"{file}-wal")
    if not log.exists() or log.stat().st_size <= _HEADER:
        return
    if not os.path.getsize(file):
        raise _foreign_log(path)  # SQLite would delete the log
    try:
        alone = _read_without_log(file, vfs)
    except (apsw.Error, UnicodeDecodeError) as error:
        if _is_damage(error):
            return
        raise
    try:
        together = _read(connection)
    except (apsw.Error, UnicodeDecodeError) as error:
        if _is_damage(error):
            raise _foreign_log(path) from error
        raise
    if not _fit(alone, together):
        raise _foreign_log(path)


def has_log_id(execute: Execute) -> bool:
    """Return whether the file has an id and its base."""
    lengths = list(execute("SELECT length(id), length(base) FROM log_id"))
    return lengths == [(16, 16)]


def _fit(alone: _Contents, together: _Contents) -> bool:
    if alone.id is not None:
        return alone.id in (together.id, together.base) and together.version >= alone.version
    # A log that upgrades or creates a file has no base.
    is_older = alone.version < together.version and together.base is not None
    return not is_older or together.base == bytes(16)


def _read_without_log(file: str, vfs: str) -> _Contents:
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    address = f"file:{quote(file)}?immutable=1"
    with closing(apsw.Connection(address, flags=flags, vfs=vfs)) as connection:
        return _read(connection)


def _read(connection: apsw.Connection) -> _Contents:
    execute = cast(Execute, connection.execute)  # pyright: ignore[reportUnknownMemberType]
    ((version,),) = execute("PRAGMA user_version")
    id_ = base = None
    if list(execute("SELECT 1 FROM sqlite_schema WHERE name = 'log_id'")):
        id_, base = next(iter(execute("SELECT id, base FROM log_id")), (None, None))
    return _Contents(version, id_, base)


def _is_damage(error: Exception) -> bool:
    damage = apsw.CorruptError | apsw.NotADBError | apsw.SQLError | UnicodeDecodeError
    return isinstance(error, damage) or is_damaged_page(error)


def _foreign_log(path: Path) -> StorageError:
    return StorageError(
        f"The log '{path}-wal' does not belong to '{path}': it has the latest commits of another "
        "file or of another copy of this one. Nothing was changed. Put the file and the log that "
        "belong together beside each other. If the file is complete without the log, for example "
        f"restored from a backup, move '{path}-wal' and '{path}-shm' away."
    )
