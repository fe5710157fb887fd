"""SQLite's way to the disk, written down: everything is done as ever, and kept in a journal.

SQLite syncs the directory with the first sync of a log or journal that it opened to create, and
after removing a file when it asks for that (os_unix.c: UNIXFILE_DIRSYNC, unixDelete).
"""

from __future__ import annotations

import os
import threading

import apsw
from typing_extensions import Buffer

from drills.power.journal import (
    Created,
    Entry,
    FolderSynced,
    Removed,
    Synced,
    Truncated,
    Wrote,
)

_LOGS = apsw.SQLITE_OPEN_WAL | apsw.SQLITE_OPEN_MAIN_JOURNAL | apsw.SQLITE_OPEN_SUPER_JOURNAL


class Recorder(apsw.VFS):
    """A layer of SQLite that notes what passes through it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.journal: list[Entry] = []
        self._one_at_a_time = threading.Lock()
        super().__init__(name, "")

    def note(self, entry: Entry) -> None:
        """Write down what has happened."""
        with self._one_at_a_time:
            self.journal.append(entry)

    def xOpen(  # noqa: N802 (SQLite names it)
        self, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> apsw.VFSFile:
        """A file that notes what is done to it."""
        if name is None:
            return apsw.VFSFile("", name, flags)
        path = name if isinstance(name, str) else name.filename()
        if not os.path.exists(path):
            self.note(Created(os.path.basename(path)))
        return _File(self, path, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        """Remove a file."""
        super().xDelete(filename, syncdir)
        self.note(Removed(os.path.basename(filename)))
        if syncdir:
            self.note(FolderSynced())


class _File(apsw.VFSFile):
    def __init__(
        self, recorder: Recorder, path: str, name: str | apsw.URIFilename, flags: list[int]
    ) -> None:
        self._recorder = recorder
        self._name = os.path.basename(path)
        self._sync_folder = bool(flags[0] & _LOGS and flags[0] & apsw.SQLITE_OPEN_CREATE)
        super().__init__("", name, flags)

    def xWrite(self, data: Buffer, offset: int) -> None:  # noqa: N802
        # apsw's stub names a type that Python 3.11 does not have.
        super().xWrite(data, offset)  # pyright: ignore[reportUnknownMemberType]
        self._recorder.note(Wrote(self._name, offset, bytes(data)))

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        super().xTruncate(newsize)
        self._recorder.note(Truncated(self._name, newsize))

    def xSync(self, flags: int) -> None:  # noqa: N802
        super().xSync(flags)
        self._recorder.note(Synced(self._name))
        if self._sync_folder:
            self._sync_folder = False
            self._recorder.note(FolderSynced())
