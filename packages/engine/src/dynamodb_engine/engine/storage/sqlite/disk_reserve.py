"""Reserved disk space, so that items and tables can be deleted while the disk is full.

SQLite writes a delete to its log before it frees any space, and on a full disk the log cannot grow.
The reserve is an unnamed file, which the system removes when the process ends. If a delete fails
because the disk is full, the engine releases the reserve, repeats the delete, checkpoints the log
and allocates the reserve again.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile

# SQLite checkpoints its log at about this size, and the file may have to grow by as much.
RESERVE = 4 * 1024 * 1024
_LEAST = 64 * 1024


class DiskReserve:
    """Disk space allocated beside the database; less, or none, if the disk is almost full."""

    def __init__(self, directory: Path | None) -> None:
        self._file = None
        if directory is not None:
            with suppress(OSError):
                self._file = TemporaryFile(dir=directory, buffering=0)  # noqa: SIM115
        self._allocate()

    @property
    def size(self) -> int:
        """Return the number of allocated bytes."""
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
        """Free the space permanently."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __del__(self) -> None:
        self.close()

    def _allocate(self) -> None:
        size = RESERVE
        # macOS has no posix_fallocate.
        while self._file is not None and size >= _LEAST and hasattr(os, "posix_fallocate"):
            try:
                os.posix_fallocate(self._file.fileno(), 0, size)
                return
            except OSError:
                self._file.truncate(0)
                size //= 2
