"""Keys in files that only their owner reads, made when they are not there: 64 hex digits."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from singletable_apps.shared.errors import AppError

_BYTES = 32
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


class KeyFileError(AppError, ValueError):
    """A file of a key that cannot be used as it is."""

    def __init__(self, message: str, path: str) -> None:
        super().__init__(message)
        self.path = path


def load_key_file(path: Path, purpose: str) -> bytes:
    """The 32 bytes in the file, which is made with new ones if there is none."""
    try:
        if not path.exists():
            _make(path)
        return _read(path, purpose)
    except OSError as error:
        raise KeyFileError(
            f"The key {purpose} at {path} cannot be used: {error.strerror}. Name a file in a "
            f"folder that exists and that this process may read and write.",
            str(path),
        ) from error


def _make(path: Path) -> None:
    """A new key, whole or not at all; another process that makes one meanwhile wins."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(os.urandom(_BYTES).hex() + "\n")
            file.flush()
            os.fsync(file.fileno())
        # A link, unlike a rename, never replaces a key that is there.
        with suppress(FileExistsError):
            os.link(draft, path)
    finally:
        draft.unlink()
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _read(path: Path, purpose: str) -> bytes:
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & _OTHERS:
        raise KeyFileError(
            f"The key {purpose} at {path} can be used by others (mode {mode:04o}). Find out who "
            f"could read it, then allow its owner alone: chmod 600 {path}",
            str(path),
        )
    with path.open("rb") as file:
        text = file.read(1024).strip()
    try:
        key = bytes.fromhex(text.decode("ascii"))
    except ValueError:
        key = b""
    if len(key) != _BYTES:
        raise KeyFileError(
            f"The file {path} holds no key {purpose}: a key is {2 * _BYTES} hex digits. Put back "
            f"the file from your backup; what was made with its key needs that one.",
            str(path),
        )
    return key
