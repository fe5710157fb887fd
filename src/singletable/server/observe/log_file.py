"""A file that lines are appended to, and that may be moved away at any time."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from singletable.errors import AddressError

STDOUT = "-"


class LogFile:
    """The end of a file, or standard output. Whoever rotates logs may move the file: a new one of
    its name is begun.
    """

    def __init__(self, name: str) -> None:
        self._path = None if name == STDOUT else Path(name)
        self._file = self._opened()

    def append(self, text: bytes) -> None:
        """Write all of it; OSError if that cannot be done."""
        if self._path is not None and self._is_moved(self._path):
            self.close()
            self._file = self._opened()
        while text:
            text = text[os.write(self._file, text) :]

    def close(self) -> None:
        """Let go of the file; standard output is not ours to close."""
        if self._path is not None:
            os.close(self._file)

    def _opened(self) -> int:
        if self._path is None:
            sys.stdout.flush()
            return sys.stdout.fileno()
        return os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o640)

    def _is_moved(self, path: Path) -> bool:
        try:
            return not os.path.samestat(path.stat(), os.fstat(self._file))
        except FileNotFoundError:
            return True


def open_log_file(name: str) -> LogFile:
    """The file of that name, "-" for standard output; AddressError if it cannot be written."""
    try:
        return LogFile(name)
    except OSError as error:
        raise AddressError(
            f"The access log cannot be written to '{name}': {error.strerror}. Give another file "
            "with --access-log, or - for standard output."
        ) from error
