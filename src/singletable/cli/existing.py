"""Connecting to what is there already, for commands that only look."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.connect import connect, file_path
from singletable.errors import StorageError

if TYPE_CHECKING:
    from singletable.engine import Engine
    from singletable.remote import Remote


def connect_existing(address: str) -> Engine | Remote:
    """The driver behind an address; a file that is not there is not made."""
    kind, _, rest = address.partition(":")
    if kind == "file" and rest and not (path := file_path(rest)).exists():
        raise StorageError(f"There is no file '{path}', so there are no tables in it to look at.")
    return connect(address)
