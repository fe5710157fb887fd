"""The disk after a power cut: record what SQLite does to the disk, then lose what was not synced.

Rule 1. Synced data is there: the bytes of a file after its sync, the names after a sync of the
        directory.
Rule 2. Of the rest, anything may be there: each write by itself, in pieces of 512 bytes, each
        truncation, each name created or removed; but no byte that was never written.
Rule 3. A write does not damage its neighbors in the sector (SQLite's powersafe overwrite).
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TypeAlias

import apsw
from typing_extensions import Buffer

from drills.ledger_workload import StepEvent
from dynamodb_engine.engine.storage.sqlite.page_checksums import checksum_vfs


def memory_folder() -> Path | None:
    """Return a folder in memory for simulated disks, or None if the system has none."""
    return _MEMORY_FOLDER if _MEMORY_FOLDER.is_dir() else None


@dataclass(frozen=True, slots=True)
class Created:
    """A name was added to the directory."""

    name: str


@dataclass(frozen=True, slots=True)
class Removed:
    """A name was removed from the directory."""

    name: str


@dataclass(frozen=True, slots=True)
class Written:
    """Bytes were written to a file."""

    name: str
    offset: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Truncated:
    """A file was truncated or extended to a size."""

    name: str
    size: int


@dataclass(frozen=True, slots=True)
class Synced:
    """A file was synced."""

    name: str


@dataclass(frozen=True, slots=True)
class DirectorySynced:
    """The directory was synced."""


# Disk operations in order, with the events of clients in between.
JournalEntry: TypeAlias = (
    Created | Removed | Written | Truncated | Synced | DirectorySynced | StepEvent
)

SECTOR = 512
_MEMORY_FOLDER = Path("/dev/shm")
# Returns whether a piece that was not synced is there.
Survives: TypeAlias = Callable[[], bool]
# How much of the unsynced data survives: nothing, everything, or each piece by chance.
SURVIVAL_MODELS: dict[str, Callable[[Random], Survives]] = {
    "nothing": lambda chance: lambda: False,
    "everything": lambda chance: lambda: True,
    "half": lambda chance: lambda: chance.random() < 0.5,
    "little": lambda chance: lambda: chance.random() < 0.05,
    "most": lambda chance: lambda: chance.random() < 0.95,
}


@dataclass(slots=True)
class _Inode:
    synced: bytearray = field(default_factory=bytearray)
    pending: list[Written | Truncated] = field(default_factory=list[Written | Truncated])


class Disk:
    """A model of a disk with synced and pending data; `syncs=False`: it ignores syncs."""

    def __init__(self, image: Mapping[str, bytes], *, syncs: bool = True) -> None:
        self._syncs = syncs
        self._names = {name: _Inode(bytearray(data)) for name, data in image.items()}
        self._synced_names = dict(self._names)
        self._pending_names: list[tuple[str, _Inode | None]] = []

    def apply(self, entry: JournalEntry) -> None:
        """Apply the next disk operation."""
        match entry:
            case Created(name):
                self._names[name] = _Inode()
                self._pending_names.append((name, self._names[name]))
            case Removed(name):
                del self._names[name]
                self._pending_names.append((name, None))
            case Written(name) | Truncated(name):
                self._names[name].pending.append(entry)
            case Synced(name) if self._syncs:
                inode = self._names[name]
                for change in inode.pending:
                    _apply(inode.synced, change, lambda: True)
                inode.pending.clear()
            case DirectorySynced() if self._syncs:
                self._synced_names = dict(self._names)
                self._pending_names.clear()
            case _:
                pass

    def cut_power(self, survives: Survives) -> dict[str, bytes]:
        """Return the files after a power cut now."""
        names = dict(self._synced_names)
        for name, inode in self._pending_names:
            if survives():
                names[name] = inode if inode is not None else _REMOVED
        image: dict[str, bytes] = {}
        for name, inode in names.items():
            if inode is not _REMOVED:
                data = bytearray(inode.synced)
                for change in inode.pending:
                    _apply(data, change, survives)
                image[name] = bytes(data)
        return image


_REMOVED = _Inode()


def _apply(data: bytearray, change: Written | Truncated, survives: Survives) -> None:
    if isinstance(change, Truncated):
        if survives():
            del data[change.size :]
            data.extend(bytes(change.size - len(data)))
        return
    end = change.offset + len(change.data)
    start = change.offset
    while start < end:
        stop = min(end, (start // SECTOR + 1) * SECTOR)
        if survives():
            data.extend(bytes(max(0, stop - len(data))))
            data[start:stop] = change.data[start - change.offset : stop - change.offset]
        start = stop


_LOGS = apsw.SQLITE_OPEN_WAL | apsw.SQLITE_OPEN_MAIN_JOURNAL | apsw.SQLITE_OPEN_SUPER_JOURNAL


class RecordingDisk(apsw.VFS):
    """A SQLite VFS that records every operation in a journal.

    SQLite syncs the directory with the first sync of a log or journal that it created, and after
    removing a file if it requests that (os_unix.c: UNIXFILE_DIRSYNC, unixDelete).
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.journal: list[JournalEntry] = []
        self._lock = threading.Lock()
        super().__init__(name, checksum_vfs())

    def record(self, entry: JournalEntry) -> None:
        """Append an entry to the journal."""
        with self._lock:
            self.journal.append(entry)

    def xOpen(  # noqa: N802 (SQLite names it)
        self, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> apsw.VFSFile:
        """Open a file that records its operations."""
        if name is None:
            return apsw.VFSFile(checksum_vfs(), name, flags)
        path = name if isinstance(name, str) else name.filename()
        if not os.path.exists(path):
            self.record(Created(os.path.basename(path)))
        return _RecordingFile(self, path, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        """Remove a file."""
        super().xDelete(filename, syncdir)
        self.record(Removed(os.path.basename(filename)))
        if syncdir:
            self.record(DirectorySynced())


class _RecordingFile(apsw.VFSFile):
    def __init__(
        self, disk: RecordingDisk, path: str, name: str | apsw.URIFilename, flags: list[int]
    ) -> None:
        self._disk = disk
        self._path, self._name = path, os.path.basename(path)
        self._syncs_directory = bool(flags[0] & _LOGS and flags[0] & apsw.SQLITE_OPEN_CREATE)
        super().__init__(checksum_vfs(), name, flags)

    def xWrite(self, data: Buffer, offset: int) -> None:  # noqa: N802
        # apsw's stub uses a type that Python 3.11 does not have.
        super().xWrite(data, offset)  # pyright: ignore[reportUnknownMemberType]
        # With the checksum of the page, which is added below this layer.
        with open(self._path, "rb") as file:
            file.seek(offset)
            written = file.read(memoryview(data).nbytes)
        self._disk.record(Written(self._name, offset, written))

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        super().xTruncate(newsize)
        self._disk.record(Truncated(self._name, newsize))

    def xSync(self, flags: int) -> None:  # noqa: N802
        super().xSync(flags)
        self._disk.record(Synced(self._name))
        if self._syncs_directory:
            self._syncs_directory = False
            self._disk.record(DirectorySynced())
