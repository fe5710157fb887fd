"""Private files that appear when they are complete, and secret keys in them (64 hex digits)."""

from __future__ import annotations

import os
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from dynamodb_engine.private_files import open_file
from singletable_apps.shared.errors import AppError

_KEY_BYTES = 32
_GROUP_AND_OTHERS = stat.S_IRWXG | stat.S_IRWXO


class KeyFileError(AppError, ValueError):
    """A key file cannot be used."""


@contextmanager
def new_private_file(path: Path) -> Generator[IO[bytes]]:
    """Yield a new file, which appears at `path` when it is complete; `path` must be free."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
    file = open_file(draft, "xb")
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        # Unlike a rename, a link never replaces an existing file.
        os.link(draft, path)
    finally:
        draft.unlink()


def load_key_file(path: Path, purpose: str) -> bytes:
    """Return the 32 bytes in the file, creating it with a random key if it is missing."""
    try:
        if not path.exists():
            _create(path)
        return _read(path, purpose)
    except OSError as error:
        raise KeyFileError(
            f"Cannot use the key {purpose} at {path}: {error.strerror}. Name a file in an "
            f"existing folder that this process can read and write."
        ) from error


def _create(path: Path) -> None:
    """Write a new key atomically; if another process is faster, its key stays."""
    with suppress(FileExistsError), new_private_file(path) as file:
        file.write(os.urandom(_KEY_BYTES).hex().encode() + b"\n")
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _read(path: Path, purpose: str) -> bytes:
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & _GROUP_AND_OTHERS:
        raise KeyFileError(
            f"Other users can read the key {purpose} at {path} (mode {mode:04o}). Find out who "
            f"could have read it, then run: chmod 600 {path}"
        )
    with path.open("rb") as file:
        text = file.read(1024).strip()
    try:
        key = bytes.fromhex(text.decode("ascii"))
    except ValueError:
        key = b""
    if len(key) != _KEY_BYTES:
        raise KeyFileError(
            f"The file {path} does not contain a key {purpose}: expected {2 * _KEY_BYTES} hex "
            f"digits. Restore the file from your backup, because a new key cannot read old data."
        )
    return key
