"""The change feed: what was written, in commit order, kept with the write it tells of."""

from __future__ import annotations

from typing import cast

from msgspec import Raw
from msgspec.json import Decoder

from singletable.engine.catalog import Session
from singletable.engine.storage import Execute
from singletable.engine.table import Table
from singletable.errors import TrimmedDataAccess
from singletable.operations import ChangeRecord
from singletable.values import item_from_json

_names = Decoder(list[str]).decode
_INSERT = "INSERT INTO changes VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)"
# Trimming costs some statements; once in a block of changes is often enough to keep the bounds.
BLOCK = 64


def append_change(
    session: Session, table: Table, old: bytes | None, new: bytes | None, *, expired: bool = False
) -> None:
    """Write down a change in the transaction that makes it."""
    session.execute(
        _INSERT,
        (table.record.number, table.name, session.now, expired, table.key_names_json, old, new),
    )
    size = session.catalog.feed_size
    size.unweighed += 1
    if size.unweighed >= BLOCK:
        _end_block(session)


def read_changes(
    execute: Execute, after: int, table: Table | None, limit: int
) -> tuple[list[ChangeRecord], int]:
    """Changes after a position, and the position to go on from."""
    oldest, newest = feed_bounds(execute)
    if after < oldest - 1:
        raise TrimmedDataAccess(
            f"The change feed begins at position {oldest}, after the position asked for, {after}. "
            "Read the tables anew and go on from the present end, or keep more: Settings.retention."
        )
    rows = execute(
        "SELECT position, name, moment, expired, keys, old, new FROM changes WHERE position > ? "
        + ("" if table is None else f"AND number = {table.record.number} ")
        + "ORDER BY position LIMIT ?",
        (after, limit),
    )
    changes = [_change(row) for row in rows]
    # A full page may not be the last; otherwise everything up to the newest was looked at.
    position = changes[-1].position if len(changes) == limit else max(after, newest)
    return changes, position


def feed_bounds(execute: Execute) -> tuple[int, int]:
    """The oldest position that is kept and the newest one given; an empty feed has neither."""
    ((oldest, newest),) = execute(
        "SELECT (SELECT min(position) FROM changes), (SELECT max(position) FROM changes)"
    )
    return cast(int, oldest or 1), cast(int, newest or 0)


def _change(row: tuple[object, ...]) -> ChangeRecord:
    position, name, moment, expired, key_names, old, new = cast(
        "tuple[int, str, float, int, bytes, bytes | None, bytes | None]", row
    )
    item = item_from_json(new or old or b"{}")
    return ChangeRecord(
        position=position,
        table_name=name,
        kind="INSERT" if old is None else "REMOVE" if new is None else "MODIFY",
        when=moment,
        keys={name: item[name] for name in _names(key_names)},
        expired=bool(expired),
        raw_old=None if old is None else Raw(old),
        raw_new=None if new is None else Raw(new),
    )


def _end_block(session: Session) -> None:
    """Weigh what was written since the last block, and forget what is beyond a bound."""
    execute, retention = session.execute, session.settings.retention
    _, newest = feed_bounds(execute)
    execute(
        "INSERT INTO change_blocks SELECT ?, coalesce(sum(coalesce(length(old), 0) + "
        "coalesce(length(new), 0)), 0) FROM changes "
        "WHERE position > (SELECT coalesce(max(position), 0) FROM change_blocks)",
        (newest,),
    )
    cut = max(
        newest - retention.records,
        _end_of_heavy(execute, retention.bytes),
        _end_of_old(execute, session.now - retention.seconds),
    )
    cut = min(cut, newest - 1)
    execute("DELETE FROM changes WHERE position <= ?", (cut,))
    execute("DELETE FROM change_blocks WHERE position <= ?", (cut,))
    session.catalog.feed_size.unweighed = 0


def _end_of_heavy(execute: Execute, most: int) -> int:
    """Where the blocks end that no longer fit into so many bytes; the newest always does."""
    ((weight,),) = execute("SELECT sum(bytes) FROM change_blocks")
    if cast(int, weight) <= most:
        return 0
    held = 0
    for number, (position, size) in enumerate(
        execute("SELECT position, bytes FROM change_blocks ORDER BY position DESC")
    ):
        held += cast(int, size)
        if number and held > most:
            return cast(int, position)
    return 0


def _end_of_old(execute: Execute, since: float) -> int:
    """Where the changes end that were made before a moment."""
    ((first,),) = execute(
        "SELECT coalesce(min(position), (SELECT max(position) + 1 FROM changes)) FROM changes "
        "WHERE moment >= ?",
        (since,),
    )
    return cast(int, first) - 1
