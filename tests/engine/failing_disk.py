"""A disk that is full, or fails to write, after as many writes to SQLite's log as one likes.

The log alone fails: SQLite bears it when the log cannot yet be put into the file and tells nobody,
but an exception raised here would be told.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import apsw
from typing_extensions import Buffer

Trouble: TypeAlias = Literal["full", "broken", "unsynced"]


class FailingDisk(apsw.VFS):
    """SQLite's way to the disk, as it is until `left` writes are done."""

    def __init__(self, name: str, trouble: Trouble) -> None:
        self.name = name
        self.trouble = trouble
        self.left: int | None = None
        super().__init__(name, "")

    def xOpen(  # noqa: N802 (SQLite names it)
        self, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> apsw.VFSFile:
        """A file that may fail."""
        return _File(self, name, flags)

    def check(self, step: str) -> None:
        """Raise if this is the step that fails."""
        if self.left is None or (step == "sync") != (self.trouble == "unsynced"):
            return
        if self.left == 0:
            raise apsw.FullError() if self.trouble == "full" else apsw.IOError()
        self.left -= 1


class _File(apsw.VFSFile):
    def __init__(
        self, disk: FailingDisk, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> None:
        super().__init__("", name, flags)
        self._disk = disk
        self._is_log = bool(flags[0] & apsw.SQLITE_OPEN_WAL)

    def xWrite(self, data: Buffer, offset: int) -> None:  # noqa: N802
        if self._is_log:
            self._disk.check("write")
        # apsw's stub names a type that Python 3.11 does not have.
        super().xWrite(data, offset)  # pyright: ignore[reportUnknownMemberType]

    def xSync(self, flags: int) -> None:  # noqa: N802
        if self._is_log:
            self._disk.check("sync")
        super().xSync(flags)
