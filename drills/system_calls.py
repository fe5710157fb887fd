"""Make SQLite's system calls fail: the n-th call of a kind, once or from then on.

Like SQLite's own tests, this replaces the system calls of SQLite's Unix layer, with ctypes. A VFS
in Python that raises exceptions would be different: apsw raises them even where SQLite ignores the
error, for example when a checkpoint after a commit fails. `fsync` cannot be replaced this way, so
the methods of the open files are patched instead.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import apsw

_int, _long, _pointer, _text = ctypes.c_int, ctypes.c_long, ctypes.c_void_p, ctypes.c_char_p
# The ctypes of each call: the result, then the arguments.
_CALLS: dict[str, tuple[Any, ...]] = {
    "open": (_int, _text, _int, _int),
    "fstat": (_int, _int, _pointer),
    "ftruncate": (_int, _int, _long),
    "fcntl": (_int, _int, _int, _pointer),
    "pread": (_long, _int, _pointer, _long, _long),
    "pread64": (_long, _int, _pointer, _long, _long),
    "pwrite": (_long, _int, _pointer, _long, _long),
    "pwrite64": (_long, _int, _pointer, _long, _long),
    "unlink": (_int, _text),
    "openDirectory": (_int, _text, _pointer),
    "mmap": (_pointer, _pointer, _long, _int, _int, _int, _long),
}
_FAILED_MMAP = ctypes.c_void_p(-1).value
_IOERR_FSYNC = int(apsw.SQLITE_IOERR_FSYNC)
# The index of xSync in SQLite's table of file methods.
_SYNC_SLOT, _METHOD_SLOTS = 5, 19


@dataclass(frozen=True, slots=True)
class Fault:
    """Fail the n-th call of a kind (counted from 1), once or from then on."""

    call: str
    number: int
    code: int = errno.EIO
    permanent: bool = False


@dataclass
class SystemCalls:
    """The system calls that SQLite makes, counted, and the fault to inject."""

    fault: Fault | None = None
    counts: Counter[str] = field(default_factory=Counter[str])
    _kept: list[object] = field(default_factory=list[object])

    def fails(self, call: str) -> bool:
        """Count a call and return whether it fails."""
        self.counts[call] += 1
        fault = self.fault
        if fault is None or fault.call != call:
            return False
        count = self.counts[call]
        return count == fault.number or (fault.permanent and count > fault.number)

    def fail_syncs(self, connection: apsw.Connection) -> None:
        """Count the syncs of an open connection, and make them fail too."""
        for code in (apsw.SQLITE_FCNTL_FILE_POINTER, apsw.SQLITE_FCNTL_JOURNAL_POINTER):
            file = _pointer()
            connection.file_control("main", code, ctypes.addressof(file))
            methods = ctypes.cast(file, ctypes.POINTER(_pointer))
            if not methods.contents:
                continue  # the log is not open
            table = (_pointer * _METHOD_SLOTS).from_address(methods.contents.value or 0)
            copy = (_pointer * _METHOD_SLOTS)(*table)
            sync = ctypes.CFUNCTYPE(_int, _pointer, _int)(table[_SYNC_SLOT] or 0)

            def replacement(file: int, flags: int, sync: Callable[[int, int], int] = sync) -> int:
                return _IOERR_FSYNC if self.fails("fsync") else sync(file, flags)

            callback = ctypes.CFUNCTYPE(_int, _pointer, _int)(replacement)
            copy[_SYNC_SLOT] = ctypes.cast(callback, _pointer)
            methods[0] = ctypes.cast(copy, _pointer)
            self._kept += [copy, callback]

    def replacement(self, name: str, original: int) -> Any:
        """Return a C function that counts the call, and fails or forwards it."""
        result, *arguments = _CALLS[name]
        prototype = ctypes.CFUNCTYPE(result, *arguments, use_errno=True)
        make, call = prototype(original), name.removesuffix("64")

        def replaced(*values: Any) -> Any:
            if (call == "fcntl" and not _takes_lock(*values)) or not self.fails(call):
                return make(*values)
            assert self.fault is not None
            ctypes.set_errno(self.fault.code)
            return _FAILED_MMAP if call == "mmap" else -1

        return prototype(replaced)


def _takes_lock(file: int, command: int, lock: int) -> bool:
    """Return whether a call of fcntl takes a lock; releasing one cannot fail."""
    is_lock = command in (fcntl.F_SETLK, fcntl.F_SETLKW)
    return is_lock and ctypes.c_short.from_address(lock).value != fcntl.F_UNLCK


@contextmanager
def replaced_system_calls() -> Iterator[SystemCalls]:
    """Replace the system calls of SQLite in this process until the block ends."""
    calls, vfs = SystemCalls(), apsw.VFS("system calls", "unix")
    replaced: list[Any] = []
    try:
        for name in _CALLS:
            original = vfs.xGetSystemCall(name)
            if original:
                replaced.append(calls.replacement(name, original))
                vfs.xSetSystemCall(name, ctypes.cast(replaced[-1], _pointer).value or 0)
        yield calls
    finally:
        for name in _CALLS:
            vfs.xSetSystemCall(name, 0)
        vfs.unregister()
