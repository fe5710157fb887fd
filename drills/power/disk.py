"""A disk as it may be after a power cut.

Rule 1. What was synced is there: the bytes of a file after its sync, the names after a sync of the
        directory.
Rule 2. Of what was not, anything may be there: each write by itself, in pieces of 512 bytes, each
        cut of a file, each name that came or went; but no byte that was never written.
Rule 3. A write does not harm what stands beside it in its sector (SQLite's powersafe overwrite).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import TypeAlias

from drills.power.journal import (
    Created,
    Entry,
    FolderSynced,
    Removed,
    Synced,
    Truncated,
    Wrote,
)

SECTOR = 512
# Whether something that was not synced is there.
Survives: TypeAlias = Callable[[], bool]
# How cruel a cut is: nothing unsynced stays, all of it does, or each piece by chance.
CRUELTIES: dict[str, Callable[[Random], Survives]] = {
    "nothing": lambda chance: lambda: False,
    "everything": lambda chance: lambda: True,
    "half": lambda chance: lambda: chance.random() < 0.5,
    "little": lambda chance: lambda: chance.random() < 0.05,
    "most": lambda chance: lambda: chance.random() < 0.95,
}


@dataclass(slots=True)
class _Inode:
    safe: bytearray = field(default_factory=bytearray)
    pending: list[Wrote | Truncated] = field(default_factory=list[Wrote | Truncated])


class Disk:
    """What is safe, and what is not yet; `honest` is whether a sync does what it says."""

    def __init__(self, image: Mapping[str, bytes], *, honest: bool = True) -> None:
        self._honest = honest
        self._names = {name: _Inode(bytearray(data)) for name, data in image.items()}
        self._safe_names = dict(self._names)
        self._pending_names: list[tuple[str, _Inode | None]] = []

    def take(self, entry: Entry) -> None:
        """Go on to the next thing that was asked of the disk."""
        match entry:
            case Created(name):
                self._names[name] = _Inode()
                self._pending_names.append((name, self._names[name]))
            case Removed(name):
                del self._names[name]
                self._pending_names.append((name, None))
            case Wrote(name) | Truncated(name):
                self._names[name].pending.append(entry)
            case Synced(name) if self._honest:
                inode = self._names[name]
                for change in inode.pending:
                    _apply(inode.safe, change, lambda: True)
                inode.pending.clear()
            case FolderSynced() if self._honest:
                self._safe_names = dict(self._names)
                self._pending_names.clear()
            case _:
                pass

    def after_cut(self, survives: Survives) -> dict[str, bytes]:
        """The files after a power cut at this moment."""
        names = dict(self._safe_names)
        for name, inode in self._pending_names:
            if survives():
                names[name] = inode if inode is not None else _GONE
        image: dict[str, bytes] = {}
        for name, inode in names.items():
            if inode is not _GONE:
                data = bytearray(inode.safe)
                for change in inode.pending:
                    _apply(data, change, survives)
                image[name] = bytes(data)
        return image


_GONE = _Inode()


def _apply(data: bytearray, change: Wrote | Truncated, survives: Survives) -> None:
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
