"""A disk that counts how often it is told to keep what it was given."""

from __future__ import annotations

import apsw


class CountingDisk(apsw.VFS):
    """SQLite's own layer to the disk, with a counter."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.syncs = 0
        super().__init__(name, "")

    def xOpen(  # noqa: N802
        self, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> CountingFile:
        """A file of this disk."""
        return CountingFile(self, name, flags)


class CountingFile(apsw.VFSFile):
    """A file whose disk counts."""

    def __init__(
        self, disk: CountingDisk, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> None:
        self._disk = disk
        super().__init__("", name, flags)

    def xSync(self, flags: int) -> None:  # noqa: N802
        """Wait for the disk."""
        self._disk.syncs += 1
        super().xSync(flags)
