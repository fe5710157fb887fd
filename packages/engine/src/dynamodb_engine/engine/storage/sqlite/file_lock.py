"""Lock a database file for one engine in one process, and reject files that SQLite cannot protect.

Rule 1. A file is identified by its inode, not by its path. A lock that ends with the process
        (flock) keeps out engines of other processes; a list keeps out other engines of this
        process, because closing a second descriptor of the file would drop the locks that SQLite
        holds on it (POSIX locks belong to the process). The shared memory of the log is locked
        too, because SQLite finds the log by its name, even if the file was replaced.
Rule 2. A second SQLite library in the process (Python's `sqlite3`) does not see our SQLite's locks,
        so its last close would delete the log while we use it. It does see locks of the open file,
        so we hold these in addition to SQLite's own.
Rule 3. A forked child has copies of everything and must use nothing. It releases the lock, so that
        it does not lock the file after its parent has ended, and never closes a connection: that
        would write to memory that the parent still uses.
Rule 4. The file must be on a local disk: SQLite's log needs memory shared by all its users, and
        locks do not work reliably across a network.
"""

from __future__ import annotations

import fcntl
import os
import re
import stat
import struct
import threading
from contextlib import suppress
from pathlib import Path
from weakref import WeakSet

import apsw

from dynamodb_engine.errors import StorageError
from dynamodb_engine.private_files import open_descriptor

# The bytes that SQLite locks to read a file, and the byte of its shared memory that every user
# locks (sqlite3.c: SHARED_FIRST, SHARED_SIZE, UNIX_SHM_DMS).
_SHARED = (0x40000002, 510)
_IN_USE = (128, 1)
# Only Linux has locks of the open file. Elsewhere the process's own locks must do.
_OPEN_FILE_LOCK: int | None = getattr(fcntl, "F_OFD_SETLK", None)

_mutex = threading.Lock()
_locks: WeakSet[FileLock] = WeakSet()
_inherited: set[tuple[int, int]] = set()


class FileLock:
    """A locked database file and the connections to it."""

    def __init__(self, path: Path) -> None:
        self._file = path.resolve()
        self._descriptors: list[int] = []
        self._connections: list[apsw.Connection] = []
        with _mutex:
            _check_directory(path)
            _check_file(path)
            check_log_is_unused(path)
            self._descriptors.append(_open_locked(path))
            self._inode = _inode(os.fstat(self._descriptors[0]))
            _locks.add(self)

    def holds(self, inode: tuple[int, int]) -> bool:
        """Return whether this lock holds the file with this inode."""
        return bool(self._descriptors) and self._inode == inode

    def add_connection(self, connection: apsw.Connection) -> None:
        """Close the connection when the lock is released, except in a forked child."""
        self._connections.append(connection)

    def lock_out_other_libraries(self) -> None:
        """Let other SQLite libraries see that the file is in use. Call this once it has a log."""
        if _OPEN_FILE_LOCK is not None:
            shared_memory = f"{self._file}-shm"
            try:
                self._descriptors.append(os.open(shared_memory, os.O_RDWR | os.O_CLOEXEC))
                fcntl.flock(self._descriptors[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)
                self._lock_open_files(fcntl.F_RDLCK)
            except OSError as error:
                raise StorageError(
                    f"'{shared_memory}' cannot be locked: {error.strerror}."
                ) from error

    def close(self) -> None:
        """Close the connections, the first one last, and release the file."""
        if len(self._descriptors) > 1:
            # The last connection to close checkpoints the log, and needs the file to itself.
            self._lock_open_files(fcntl.F_UNLCK)
        try:
            while self._connections:
                self._connections.pop().close()
            self._set_orphaned_log_aside()
        finally:
            self._release()

    def _set_orphaned_log_aside(self) -> None:
        """Rename the log of a moved file, so that it is not used for a new file of that name."""
        if len(self._descriptors) < 2:
            return
        with suppress(OSError):
            # Another engine may already have a new log there, with its own shared memory.
            is_ours = os.path.samestat(os.fstat(self._descriptors[1]), os.stat(f"{self._file}-shm"))
            is_moved = not self._file.exists() or _inode(self._file.stat()) != self._inode
            if is_ours and is_moved:
                os.rename(f"{self._file}-wal", f"{self._file}-wal.orphan")

    def __del__(self) -> None:
        if self._descriptors:
            self.close()

    def abandon(self) -> None:
        """Release the lock in a forked child, and prevent the connections from being closed."""
        from ctypes import py_object, pythonapi

        if not self._descriptors:
            return
        for connection in self._connections:
            pythonapi.Py_IncRef(py_object(connection))
        self._connections.clear()
        _inherited.add(self._inode)
        self._release()

    def _release(self) -> None:
        with _mutex:
            while self._descriptors:
                # Closing drops every lock that SQLite has on the file: no connection is left.
                os.close(self._descriptors.pop())

    def _lock_open_files(self, kind: int) -> None:
        assert _OPEN_FILE_LOCK is not None
        for file, (start, length) in zip(self._descriptors, (_SHARED, _IN_USE), strict=True):
            request = struct.pack("hhqqi", kind, os.SEEK_SET, start, length, 0)
            fcntl.fcntl(file, _OPEN_FILE_LOCK, request)


def _abandon_all() -> None:
    global _mutex
    _mutex = threading.Lock()  # another thread may have held it when the process forked
    for lock in list(_locks):
        lock.abandon()


os.register_at_fork(after_in_child=_abandon_all)


def _check_directory(path: Path) -> None:
    """Raise StorageError unless SQLite can use a database in this directory."""
    if path.is_dir():
        raise StorageError(f"'{path}' is a directory. Use the path of a file.")
    directory = path.resolve().parent
    if not directory.is_dir():
        raise StorageError(
            f"'{path}' cannot be created: the directory '{path.parent}' does not exist."
        )
    check_local_disk(path, directory)
    if not os.access(directory, os.W_OK | os.X_OK):
        raise StorageError(
            f"The directory '{directory}' is not writable, but SQLite keeps a log beside the file "
            f"'{path.name}'. Change its permissions, or use another directory."
        )


def _check_file(path: Path) -> None:
    """Raise StorageError if the file is in use in this process, or SQLite cannot protect it."""
    try:
        status = path.stat()
    except OSError:
        return
    if not stat.S_ISREG(status.st_mode):
        raise StorageError(f"'{path}' is not a regular file. Use another path.")
    if _inode(status) in _inherited:
        raise StorageError(
            f"'{path}' was open when this process was forked, so SQLite in this process treats it "
            "as open. Fork before you open the engine, or start the process with spawn."
        )
    if any(lock.holds(_inode(status)) for lock in _locks):
        raise _in_use(path)
    if status.st_nlink > 1:
        raise StorageError(
            f"'{path}' has {status.st_nlink} names (hard links), and SQLite finds the log of a "
            "file by its name: opened by another name, it would miss the writes in the log. "
            "Remove the other names, or use a copy."
        )
    if _is_open_in_this_process(status):
        raise StorageError(
            f"'{path}' is open in this process outside the engine, for example in Python's "
            "sqlite3. Two SQLite libraries undo each other's locks. Close it there first."
        )


def check_log_is_unused(path: Path) -> None:
    """Raise StorageError if an engine uses the log beside the file.

    If its file was moved or deleted meanwhile, the lock on the file does not show this.
    """
    try:
        shared_memory = Path(f"{path.resolve()}-shm")
        if _is_open_in_this_process(shared_memory.stat()):
            raise _in_use(path)
        file = os.open(shared_memory, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        raise _in_use(path) from None
    finally:
        os.close(file)


def is_open_here(path: Path) -> bool:
    """Return whether an engine of this process has the file open."""
    inode = _inode(path.stat())
    return any(lock.holds(inode) for lock in _locks)


def _open_locked(path: Path) -> int:
    try:
        # SQLite gives its log the same mode.
        file = open_descriptor(path, os.O_RDWR)
    except OSError as error:
        raise StorageError(
            f"'{path}' cannot be opened for reading and writing: {error.strerror}. Change its "
            "permissions, or use another file."
        ) from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(file)
        raise _in_use(path) from None
    return file


def _in_use(path: Path) -> StorageError:
    return StorageError(
        f"'{path}' is open in another engine or being checked. Close it there, or use another "
        "file here."
    )


def _inode(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def _is_open_in_this_process(status: os.stat_result) -> bool:
    """Return whether this process has a descriptor of the file; False if it cannot list them."""
    try:
        descriptors = [int(name) for name in os.listdir("/proc/self/fd")]
    except OSError:
        return False
    for descriptor in descriptors:
        try:
            if _inode(os.fstat(descriptor)) == _inode(status):
                return True
        except OSError:  # the descriptor that listed the directory
            continue
    return False


MOUNTS = Path("/proc/self/mountinfo")
# File system types, as Linux names them, whose files other machines can change.
_REMOTE = re.compile(
    r"9p|afs|beegfs|ceph|cifs|coda|davfs|drvfs|gfs2|gpfs|lustre|ncpfs|nfs4?|ocfs2|orangefs|prl_fs|"
    r"pvfs2|smb[23]|smbfs|vboxsf|vmhgfs|fuse\.(sshfs|s3fs|s3ql|gcsfuse|goofys|rclone|davfs2?|"
    r"glusterfs|ceph(-fuse)?|juicefs|moosefs|mfs|lizardfs|seaweedfs|mount-s3|blobfuse2?|smbnetfs|"
    r"curlftpfs|vmhgfs-fuse|beegfs)"
)
_ESCAPED = re.compile(r"\\([0-7]{3})")


def check_local_disk(path: Path, directory: Path) -> None:
    """Raise StorageError if the directory is on a network drive."""
    kind = file_system_type(directory, read_mounts())
    if _REMOTE.fullmatch(kind):
        raise StorageError(
            f"'{path}' is on a network drive ({kind}), where machines do not see each other's "
            "locks and SQLite would lose writes. Keep the file on a local disk, and let other "
            "machines connect through `dynamodb-engine serve`."
        )


def read_mounts() -> str:
    """Return the mount table, or an empty text where the system has none to read."""
    try:
        return MOUNTS.read_text(errors="surrogateescape")
    except OSError:
        return ""


def file_system_type(directory: Path, mounts: str) -> str:
    """Return the file system type of a resolved directory; empty if unknown."""
    kind, deepest = "", -1
    for line in mounts.splitlines():
        mount, dash, file_system = line.partition(" - ")
        fields = mount.split(" ")
        if not dash or len(fields) < 5:
            continue
        mount_point = Path(_ESCAPED.sub(lambda code: chr(int(code[1], 8)), fields[4]))
        # Of two mounts on one directory, the later hides the earlier.
        if directory.is_relative_to(mount_point) and len(mount_point.parts) >= deepest:
            kind, deepest = file_system.split(" ")[0], len(mount_point.parts)
    return kind
