"""Checksums of pages, which cover SQLite's own structure, too.

SQLite's checksum VFS adds eight bytes to each page when it is written, and verifies them when it is
read. A database has them if its header says that eight bytes of each page are reserved. Readers
find damage, such as a pointer to another page, instead of missing rows.
"""

from __future__ import annotations

import ctypes
from functools import cache

import apsw
import apsw.sqlite_extra

from dynamodb_engine.errors import StorageError

# Then damaged pages are read as they are, to find out what is left.
READ_DAMAGED_PAGES = "PRAGMA checksum_verification = OFF"

_NAME = "cksmvfs"
_RESERVED_BYTES = 8


@cache
def checksum_vfs() -> str:
    """Return the name of the SQLite layer that verifies pages, loading it if necessary.

    It leaves databases without checksums alone.
    """
    connection = apsw.Connection(":memory:")
    try:
        apsw.sqlite_extra.load(connection, "cksumvfs")
    except (apsw.Error, apsw.sqlite_extra.NotAvailable) as error:
        raise StorageError(
            f"SQLite's checksum VFS cannot be loaded: {error}. Install apsw from its wheel, which "
            "contains it: pip install --only-binary apsw apsw"
        ) from error
    finally:
        connection.close()
    return _NAME


def reserve_checksums(connection: apsw.Connection) -> bool:
    """Reserve space for checksums in each page, and return whether the database has it already.

    If not, a new database gets it with the first write, and another when it is vacuumed.
    """
    number = ctypes.c_int(_RESERVED_BYTES)
    connection.file_control("main", apsw.SQLITE_FCNTL_RESERVE_BYTES, ctypes.addressof(number))
    return number.value == _RESERVED_BYTES


def is_damaged_page(error: BaseException) -> bool:
    """Return whether SQLite read a page that does not match its checksum."""
    return getattr(error, "extendedresult", None) == apsw.SQLITE_IOERR_DATA


def describe_error(error: BaseException) -> str:
    """Return the text of an error; SQLite's own does not distinguish damage from other errors."""
    return "a page of the file is damaged" if is_damaged_page(error) else str(error)
