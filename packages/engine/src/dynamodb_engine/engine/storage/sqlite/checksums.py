"""Checksums of rows that SQLite spreads over several pages, and of the engine's own records.

A row in one page needs none: the page has a checksum, and the row an id that no other row of the
file has. But SQLite does not notice another page in the place of a further page of a row, or of a
long key in its index: so a row with a long key must have a checksum.
"""

from __future__ import annotations

from typing import Any
from zlib import crc32

from msgspec import msgpack

_encode = msgpack.Encoder().encode
# Shorter rows and keys fit into one page of 4096 bytes of a table and of its index.
MAX_ROW_IN_PAGE = 3900
MAX_KEY_IN_PAGE = 900
# The old and the new item in a change; the names have less than 1000 bytes.
MAX_CHANGE_IN_PAGE = 3000


class DamagedData(Exception):
    """Stored bytes differ from the written ones; the message names their place."""


def row_checksum(seed: int, partition: bytes, sort: bytes, size: int, item: bytes) -> int:
    """Return the checksum of a row, never 0; `seed` is that of its table or index."""
    return crc32(sort, crc32(partition, seed)) ^ crc32(item) ^ size or 1


def values_checksum(values: tuple[str | bytes | float | None, ...]) -> int:
    """Return the checksum of a row's column values."""
    return crc32(_encode(values))


def change_checksum(values: tuple[Any, ...]) -> int:
    """Return the checksum of a change's columns; the last two are the old and new item."""
    *others, old, new = values
    contents = None if old is None else crc32(old), None if new is None else crc32(new)
    return values_checksum((*others, *contents))


def is_intact_change(row: tuple[Any, ...]) -> bool:
    """Return whether a row of the change feed has the right types and matches its checksum."""
    _, _, name, moment, _, _, old, new, checksum = row
    return (
        isinstance(name, str)
        and isinstance(moment, float)
        and isinstance(old, bytes | None)
        and isinstance(new, bytes | None)
        and (not checksum or bool(checksum == change_checksum(row[:-1])))
    )


def check_values(place: str, checksum: int, *values: str | bytes | float | None) -> None:
    """Raise DamagedData unless the values match the checksum."""
    if checksum != values_checksum(values):
        raise DamagedData(place)
