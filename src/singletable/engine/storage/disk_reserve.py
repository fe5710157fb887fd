"""Disk space in reserve, so that items and tables can be deleted while the disk is full.

SQLite writes a delete to its log before it frees anything, and when the disk is full the log cannot
grow. The reserve is an allocated file without a name, which ends with the process. A delete that
finds the disk full releases it, writes, moves the log into the file, and allocates it again.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile

# SQLite moves its log into the file at about this size, and the file may have to grow by as much.
RESERVE = 4 * 1024 * 1024
_LEAST = 64 * 1024


class DiskReserve:
    """Allocated space beside the database; less or none if the disk has not enough."""

    def __init__(self, directory: Path | None) -> None:
        self._file = None
        if directory is not None:
            with suppress(OSError):
                self._file = TemporaryFile(dir=directory, buffering=0)  # noqa: SIM115
        self._allocate()

    @property
    def size(self) -> int:
        """Return the allocated bytes."""
        return 0 if self._file is None else os.fstat(self._file.fileno()).st_size

    @contextmanager
    def released(self) -> Generator[None]:
        """Free the space while the block runs."""
        if self._file is not None:
            self._file.truncate(0)
        try:
            yield
        finally:
            self._allocate()

    def close(self) -> None:
        """Free the space for good."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __del__(self) -> None:
        self.close()

    def _allocate(self) -> None:
        size = RESERVE
        # macOS cannot allocate space in advance.
        while self._file is not None and size >= _LEAST and hasattr(os, "posix_fallocate"):
            try:
                os.posix_fallocate(self._file.fileno(), 0, size)
                return
            except OSError:
                self._file.truncate(0)
                size //= 2
