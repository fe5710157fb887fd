"""The change feed: what was written, in commit order, kept with the write it tells of."""

from __future__ import annotations

from typing import cast

from msgspec import Raw

from singletable.engine.session import Session
from singletable.engine.storage import Execute
from singletable.engine.table import Table
from singletable.errors import PositionTrimmed
from singletable.operations import Change
from singletable.values import Item, item_from_json, item_to_json

_INSERT = (
    "INSERT INTO changes (number, name, moment, expired, keys, old, new) "
    "VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING position"
)
# Trimming costs some statements; once in a block of changes is often enough to keep the bounds.
BLOCK = 64


def record_change(
    session: Session,
    table: Table,
    key: Item,
    old: bytes | None,
    new: bytes | None,
    *,
    expired: bool = False,
) -> None:
    """Write down a change in the transaction that makes it."""
    ((position,),) = session.execute(
        _INSERT,
        (
            table.record.number,
            table.name,
            session.now,
            int(expired),
            item_to_json(key),
            old,
            new,
        ),
    )
    if cast(int, position) % BLOCK == 0:
        _end_block(session, cast(int, position))


def read_changes(
    execute: Execute, after: int, table: Table | None, limit: int
) -> tuple[list[Change], int]:
    """Changes after a position, and the position to go on from."""
    oldest, newest = bounds(execute)
    if after < oldest - 1:
        raise PositionTrimmed(
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


def bounds(execute: Execute) -> tuple[int, int]:
    """The oldest position that is kept and the newest one given; an empty feed has neither."""
    ((newest,),) = execute(
        "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'changes'), 0)"
    )
    ((oldest,),) = execute("SELECT min(position) FROM changes")
    last = cast(int, newest)
    return (last + 1 if oldest is None else cast(int, oldest)), last


def _change(row: tuple[object, ...]) -> Change:
    position, name, moment, expired, keys, old, new = cast(
        "tuple[int, str, float, int, bytes, bytes | None, bytes | None]", row
    )
    return Change(
        position=position,
        table_name=name,
        kind="INSERT" if old is None else "REMOVE" if new is None else "MODIFY",
        when=moment,
        keys=item_from_json(keys),
        expired=bool(expired),
        raw_old=None if old is None else Raw(old),
        raw_new=None if new is None else Raw(new),
    )


def _end_block(session: Session, position: int) -> None:
    """Weigh the block that ends here, and forget what is beyond a bound."""
    execute, retention = session.execute, session.settings.retention
    execute(
        "INSERT INTO change_blocks SELECT ?, coalesce(sum(coalesce(length(old), 0) + "
        "coalesce(length(new), 0)), 0) FROM changes WHERE position > ?",
        (position // BLOCK, position - BLOCK),
    )
    cut = max(
        position - retention.records,
        _end_of_heavy(execute, retention.bytes),
        _end_of_old(execute, session.now - retention.seconds),
    )
    execute("DELETE FROM changes WHERE position <= ?", (cut,))
    execute("DELETE FROM change_blocks WHERE block <= ?", (cut // BLOCK,))


def _end_of_heavy(execute: Execute, most: int) -> int:
    """Where the blocks end that no longer fit into so many bytes; the newest always does."""
    weight = 0
    for number, (block, size) in enumerate(
        execute("SELECT block, bytes FROM change_blocks ORDER BY block DESC")
    ):
        weight += cast(int, size)
        if number and weight > most:
            return cast(int, block) * BLOCK
    return 0


def _end_of_old(execute: Execute, since: float) -> int:
    """Where the changes end that were made before a moment."""
    ((first,),) = execute(
        "SELECT coalesce(min(position), (SELECT max(position) + 1 FROM changes)) FROM changes "
        "WHERE moment >= ?",
        (since,),
    )
    return cast(int, first) - 1
