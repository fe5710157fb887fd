"""SQLite VFS layers for tests: one counts syncs, one fails on purpose."""

from __future__ import annotations

from typing import Literal, TypeAlias

import apsw
from typing_extensions import Buffer

from dynamodb_engine.engine.storage.sqlite.page_checksums import checksum_vfs

# "full" and "broken" fail to write, "unsynced" fails to sync.
Failure: TypeAlias = Literal["full", "broken", "unsynced"]


class CountingDisk(apsw.VFS):
    """A disk that counts syncs."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.syncs = 0
        super().__init__(name, checksum_vfs())

    def xOpen(  # noqa: N802 (SQLite names it)
        self, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> apsw.VFSFile:
        """Open a file of this disk."""
        return _CountingFile(self, name, flags)


class _CountingFile(apsw.VFSFile):
    def __init__(
        self, disk: CountingDisk, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> None:
        self._disk = disk
        super().__init__(checksum_vfs(), name, flags)

    def xSync(self, flags: int) -> None:  # noqa: N802
        self._disk.syncs += 1
        super().xSync(flags)


class FailingDisk(apsw.VFS):
    """A disk that fails after `remaining` more writes (or syncs) to SQLite's log; None: never.

    Only the log fails. SQLite ignores it when a checkpoint cannot write the file yet, but an
    exception raised here would be reported.
    """

    def __init__(self, name: str, failure: Failure) -> None:
        self.name = name
        self.failure = failure
        self.remaining: int | None = None
        super().__init__(name, checksum_vfs())

    def xOpen(  # noqa: N802
        self, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> apsw.VFSFile:
        """Open a file of this disk."""
        return _FailingFile(self, name, flags)

    def check(self, step: str) -> None:
        """Raise if this step fails."""
        if self.remaining is None or (step == "sync") != (self.failure == "unsynced"):
            return
        if self.remaining == 0:
            raise apsw.FullError() if self.failure == "full" else apsw.IOError()
        self.remaining -= 1


class _FailingFile(apsw.VFSFile):
    def __init__(
        self, disk: FailingDisk, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> None:
        super().__init__(checksum_vfs(), name, flags)
        self._disk = disk
        self._is_log = bool(flags[0] & apsw.SQLITE_OPEN_WAL)

    def xWrite(self, data: Buffer, offset: int) -> None:  # noqa: N802
        if self._is_log:
            self._disk.check("write")
        # apsw's stub uses a type that Python 3.11 does not have.
        super().xWrite(data, offset)  # pyright: ignore[reportUnknownMemberType]

    def xSync(self, flags: int) -> None:  # noqa: N802
        if self._is_log:
            self._disk.check("sync")
        super().xSync(flags)
