"""What is at an address; a file's folder is made."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import singletable
from singletable import Driver
from singletable_apps.shared.serving.refusing import told_of


@contextmanager
def driver_at(at: str) -> Generator[Driver]:
    """The driver of an address, closed at the end."""
    file = file_of(at)
    if file is not None:
        with told_of(file.parent):
            file.parent.mkdir(parents=True, exist_ok=True)
    with singletable.connect(at) as driver:
        yield driver


def file_of(at: str) -> Path | None:
    """The file that an address names: `file:votes.db`, or as a URL has it `file:///srv/votes.db`."""
    kind, _, rest = at.partition(":")
    if kind != "file" or not rest or (rest.startswith("//") and not rest.startswith("///")):
        return None
    return Path(rest[2:] if rest.startswith("///") else rest)
