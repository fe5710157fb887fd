"""Read a file that others than its owner must not touch."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from singletable.errors import CredentialsError


def read_secret(path: Path) -> str:
    """The text of a file that nobody but its owner may read or write."""
    return _read(path, stat.S_IRWXG | stat.S_IRWXO, "it holds secrets", "600")


def read_trusted(path: Path) -> str:
    """The text of a file that nobody but its owner may write."""
    return _read(path, stat.S_IWGRP | stat.S_IWOTH, "it decides what is allowed", "go-w")


def _read(path: Path, forbidden: int, reason: str, mode: str) -> str:
    try:
        with path.open("rb") as file:
            # Asked of the open file, so that it cannot be another by the time it is read.
            found = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            if os.name == "posix" and found & forbidden:
                raise CredentialsError(
                    f"{path}: {reason}, and others than its owner have access to it "
                    f"(mode {found:o}). Run: chmod {mode} {path}"
                )
            return file.read().decode()
    except OSError as error:
        raise CredentialsError(f"{path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        raise CredentialsError(f"{path}: byte {error.start} is not UTF-8.") from None
