"""Create files and folders that only the user who runs the process can read, whatever the umask.

Everything with data or secrets in it is created here. Existing files and folders keep their mode.
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import IO, Any


def create_folder(folder: Path) -> None:
    """Create a private folder and its missing parents."""
    # Path.mkdir sets the mode of the last folder only.
    for parent in reversed(folder.parents):
        if not parent.exists():
            parent.mkdir(0o700, exist_ok=True)
    folder.mkdir(0o700, exist_ok=True)


def open_file(path: Path, mode: str, **options: Any) -> IO[Any]:
    """Open a file like `open`; a new one is private."""
    return open(path, mode, opener=partial(os.open, mode=0o600), **options)


def open_descriptor(path: Path, flags: int) -> int:
    """Return a descriptor of a file, which is created if it is missing."""
    return os.open(path, flags | os.O_CREAT | os.O_CLOEXEC, 0o600)


def create_file(path: Path) -> None:
    """Create an empty private file; raise FileExistsError if there is one."""
    os.close(open_descriptor(path, os.O_WRONLY | os.O_EXCL))
