"""Hold a database file for one engine of one process, and refuse what SQLite could not survive.

Rule 1. A file is known by its inode, whatever its path. Engines of other processes are kept out by
        a lock that ends with the process; engines of this one by a list, for to close a file twice
        opened would drop the locks that SQLite holds on it (POSIX locks belong to a process).
Rule 2. A second SQLite library in the process (Python's `sqlite3`) does not see the locks of ours,
        so its last close would remove the log from under us. Locks of the open file, which it does
        see, are held beside SQLite's own.
Rule 3. A forked child gets copies of everything and may use nothing. It lets go of the lock, so
        that it does not hold the file when its parent is gone, and never closes a connection: that
        would write to memory that the parent still uses.
"""

from __future__ import annotations

import fcntl
import os
import stat
import struct
import threading
from pathlib import Path
from weakref import WeakSet

import apsw

from singletable.engine.storage.mounts import check_local
from singletable.errors import StorageError

# Where SQLite locks a file for reading, and the byte of its shared memory that whoever uses it
# locks (sqlite3.c: SHARED_FIRST, SHARED_SIZE, UNIX_SHM_DMS).
_SHARED = (0x40000002, 510)
_IN_USE = (128, 1)
# Locks of the open file are Linux's. Elsewhere the process's own must do.
_OPEN_FILE_LOCK: int | None = getattr(fcntl, "F_OFD_SETLK", None)

_one_at_a_time = threading.Lock()
_holds: WeakSet[Hold] = WeakSet()
_inherited: set[tuple[int, int]] = set()


class Hold:
    """A database file with the connections to it, ours until it is let go."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._files: list[int] = []
        self._connections: list[apsw.Connection] = []
        with _one_at_a_time:
            _check_place(path)
            _check_file(path)
            self._files.append(_open(path))
            self._inode = _inode(os.fstat(self._files[0]))
            _holds.add(self)

    @property
    def is_held(self) -> bool:
        """Whether the file has not been let go."""
        return bool(self._files)

    def is_of(self, inode: tuple[int, int]) -> bool:
        """Whether this file is held."""
        return self.is_held and self._inode == inode

    def keep(self, connection: apsw.Connection) -> None:
        """Close the connection with the file, and not in a forked child."""
        self._connections.append(connection)

    def guard(self) -> None:
        """Keep other libraries from believing that nobody uses the file; once it has a log."""
        if _OPEN_FILE_LOCK is not None:
            self._files.append(os.open(f"{self.path.resolve()}-shm", os.O_RDWR | os.O_CLOEXEC))
            self._lock_open_files(fcntl.F_RDLCK)

    def close(self) -> None:
        """Close the connections, the first one last, and let go of the file."""
        if len(self._files) > 1:
            # Whoever closes the last connection puts the log into the file, and needs it alone.
            self._lock_open_files(fcntl.F_UNLCK)
        try:
            while self._connections:
                self._connections.pop().close()
        finally:
            self._let_go()

    def __del__(self) -> None:
        if self._files:
            self.close()

    def forget(self) -> None:
        """In a forked child: hold nothing, and keep the connections from ever being closed."""
        from ctypes import py_object, pythonapi

        for connection in self._connections:
            pythonapi.Py_IncRef(py_object(connection))
        self._connections.clear()
        _inherited.add(self._inode)
        self._let_go()

    def _let_go(self) -> None:
        with _one_at_a_time:
            while self._files:
                # To close a file drops every lock that SQLite has on it: no connection is left.
                os.close(self._files.pop())

    def _lock_open_files(self, kind: int) -> None:
        assert _OPEN_FILE_LOCK is not None
        for file, (start, length) in zip(self._files, (_SHARED, _IN_USE), strict=True):
            request = struct.pack("hhqqi", kind, os.SEEK_SET, start, length, 0)
            fcntl.fcntl(file, _OPEN_FILE_LOCK, request)


def _forget_all() -> None:
    global _one_at_a_time
    _one_at_a_time = threading.Lock()  # another thread may have had it when the process forked
    for hold in list(_holds):
        if hold.is_held:
            hold.forget()


os.register_at_fork(after_in_child=_forget_all)


def _check_place(path: Path) -> None:
    """Raise StorageError unless a database could be kept in the directory."""
    if path.is_dir():
        raise StorageError(f"'{path}' is a directory. Give the path of a file.")
    folder = path.resolve().parent
    if not folder.is_dir():
        raise StorageError(f"'{path}' cannot be made: the directory '{path.parent}' is not there.")
    check_local(path, folder)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise StorageError(
            f"The directory '{folder}' cannot be written to, and SQLite keeps a log beside the "
            f"file '{path.name}'. Give the directory to whoever runs this, or use another."
        )


def _check_file(path: Path) -> None:
    """Raise StorageError if the file is in use in this process, or is none that SQLite can keep."""
    try:
        found = path.stat()
    except OSError:
        return
    if not stat.S_ISREG(found.st_mode):
        raise StorageError(f"'{path}' is not a file that can be read again. Give another path.")
    if _inode(found) in _inherited:
        raise StorageError(
            f"'{path}' was open when this process was forked, and SQLite here believes it still "
            "is. Fork before the engine is opened, or start the process anew (spawn)."
        )
    if any(hold.is_of(_inode(found)) for hold in _holds):
        raise _in_use(path)
    if found.st_nlink > 1:
        raise StorageError(
            f"'{path}' has {found.st_nlink} names (hard links), and SQLite finds the log of a file "
            "by its name: opened by the other one, it would miss what is in the log. Remove the "
            "other name, or give a copy."
        )
    if _open_in_this_process(found):
        raise StorageError(
            f"'{path}' is open in this process, but not in an engine: in Python's sqlite3, "
            "perhaps. Two libraries on one file undo each other's locks. Close it there first."
        )


def _open(path: Path) -> int:
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise StorageError(
            f"'{path}' cannot be opened to be read and written: {error.strerror}. Give the file to "
            "whoever runs this, or use another."
        ) from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(file)
        raise _in_use(path) from None
    return file


def _in_use(path: Path) -> StorageError:
    return StorageError(
        f"'{path}' is open in another engine. Close it there, or use another file here."
    )


def _inode(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino


def _open_in_this_process(found: os.stat_result) -> bool:
    """Whether a descriptor of this process is of the file; where none are listed, none is known."""
    try:
        numbers = [int(name) for name in os.listdir("/proc/self/fd")]
    except OSError:
        return False
    for number in numbers:
        try:
            if _inode(os.fstat(number)) == _inode(found):
                return True
        except OSError:  # it was the one that listed the directory
            continue
    return False
