"""What SQLite asked of the disk, in order, with what clients were told in between."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from drills.ledger import Mark


@dataclass(frozen=True, slots=True)
class Created:
    """A name came into the directory."""

    name: str


@dataclass(frozen=True, slots=True)
class Removed:
    """A name left the directory."""

    name: str


@dataclass(frozen=True, slots=True)
class Wrote:
    """Bytes were written into a file."""

    name: str
    offset: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Truncated:
    """A file was cut to a size."""

    name: str
    size: int


@dataclass(frozen=True, slots=True)
class Synced:
    """What a file holds has reached the disk."""

    name: str


@dataclass(frozen=True, slots=True)
class FolderSynced:
    """The names have reached the disk."""


Entry: TypeAlias = Created | Removed | Wrote | Truncated | Synced | FolderSynced | Mark
