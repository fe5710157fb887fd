"""Copy a database file while an engine uses it.

SQLite's own tools do not know the checksums of pages, and write copies without them.
"""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote

import apsw

from dynamodb_engine.engine.storage.sqlite.connection import (
    APPLICATION_ID,
    COUNTED,
    bind_execute,
    file_format,
    is_initialized,
    unusable_file,
)
from dynamodb_engine.engine.storage.sqlite.file_lock import check_log_is_unused, is_open_here
from dynamodb_engine.engine.storage.sqlite.log_identity import RENEW_LOG_ID, check_log
from dynamodb_engine.engine.storage.sqlite.page_checksums import checksum_vfs, reserve_checksums
from dynamodb_engine.errors import StorageError
from dynamodb_engine.private_files import create_file


def back_up_file(path: Path, copy: Path) -> None:
    """Write everything that is committed to a new file."""
    source = open_read_only(path)
    try:
        _back_up(source, path, copy)
    finally:
        source.close()


def _back_up(source: apsw.Connection, path: Path, copy: Path) -> None:
    try:
        create_file(copy)
    except OSError as error:
        raise StorageError(f"'{copy}' cannot be created: {error.strerror}.") from None
    try:
        _copy(source, copy)
    except BaseException as error:
        copy.unlink()
        if isinstance(error, apsw.Error):
            raise unusable_file(path, error) from error
        raise


def open_read_only(path: Path) -> apsw.Connection:
    """Open a file to read what is committed, even while an engine of another process uses it."""
    if not path.is_file():
        raise StorageError(f"'{path}' does not exist, or is not a regular file.")
    if is_open_here(path):
        # Closing a second descriptor would drop SQLite's locks on the file.
        raise StorageError(f"'{path}' is open in this process. Read it from another one.")
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    # The log of a file is beside it, not beside a link to it.
    address = f"file:{quote(os.path.realpath(path))}?mode=ro"
    try:
        connection = apsw.Connection(address, flags=flags, vfs=checksum_vfs())
        try:
            connection.set_busy_timeout(10_000)
            if not _is_in_use(path):
                check_log(path, connection, checksum_vfs())
            if not is_initialized(bind_execute(connection), path):
                raise StorageError(f"'{path}' is empty, not a singletable database.")
        except BaseException:
            connection.close()
            raise
    except apsw.Error as error:
        raise unusable_file(path, error) from error
    return connection


def _is_in_use(path: Path) -> bool:
    try:
        check_log_is_unused(path)
    except StorageError:
        return True
    return False


def _copy(source: apsw.Connection, copy: Path) -> None:
    _copy_pages(source, copy)
    for place in (copy, copy.resolve().parent):  # the new name is in the folder
        descriptor = os.open(place, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _copy_pages(source: apsw.Connection, copy: Path) -> None:
    target = apsw.Connection(str(copy), flags=apsw.SQLITE_OPEN_READWRITE, vfs=checksum_vfs())
    try:
        execute = bind_execute(target)
        if reserve_checksums(source):
            # SQLite may write other pages before the first one, which says that they get checksums:
            # so write that one now. VACUUM INTO cannot, and writes large files without checksums.
            reserve_checksums(target)
            execute(f"PRAGMA application_id = {APPLICATION_ID}")
        with target.backup("main", source, "main") as pages:
            pages.step(-1)
        if file_format(execute) >= COUNTED:
            execute(RENEW_LOG_ID)  # so that the log of the original does not fit the copy
        execute("VACUUM")
    finally:
        target.close()
