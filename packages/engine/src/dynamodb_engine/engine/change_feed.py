"""The change feed: every change in commit order, stored in the transaction that makes it."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, cast

from msgspec import Raw
from msgspec.json import Decoder

from dynamodb_engine.engine.catalog import Session
from dynamodb_engine.engine.storage import (
    CHANGE_COLUMNS,
    MAX_CHANGE_IN_PAGE,
    DamagedData,
    Execute,
    Row,
    change_checksum,
    is_intact_change,
)
from dynamodb_engine.engine.stream_shards import RETENTION, first_streamed, split_shards
from dynamodb_engine.engine.table import Table
from dynamodb_engine.errors import TrimmedDataAccess
from dynamodb_engine.operations import ChangeRecord
from dynamodb_engine.values import item_from_json

_decode_names = Decoder(list[str]).decode
_INSERT = f"INSERT INTO changes ({CHANGE_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
# Trimming takes several statements; once per block of changes is enough to enforce the retention.
BLOCK = 64


def append_change(
    session: Session,
    table: Table,
    old: Row | None,
    new: bytes | None,
    *,
    expired: bool = False,
) -> None:
    """Append a change in the transaction that makes it."""
    catalog = session.catalog
    number, name, keys = table.record.number, table.name, table.key_names_json
    # The types that SQLite returns, because a checksum depends on them.
    moment, flag = float(session.now), 1 if expired else 0
    json = None if old is None else old.json
    if catalog.pending_changes is not None:
        catalog.pending_changes.append((number, name, moment, flag, keys, json, new))
        return
    catalog.newest_change = position = catalog.newest_change + 1
    values = (position, number, name, moment, flag, keys, json, new)
    length = (0 if json is None else len(json)) + (0 if new is None else len(new))
    checksum = 0 if length <= MAX_CHANGE_IN_PAGE else change_checksum(values)
    session.command(_INSERT, (*values, checksum))
    if position - catalog.newest_block >= BLOCK:
        _end_block(session)
    if table.record.stream is not None:
        _count_streamed(session, table)


def _count_streamed(session: Session, table: Table) -> None:
    """Count a change of a table with a stream, and split the shards after many of them."""
    catalog, shards = session.catalog, session.settings.stream_shards
    count = catalog.streamed_changes.get(table.record.number, 0) + 1
    if count >= shards.records:
        count = 0
        record = catalog.draft[table.name].record
        record = split_shards(record, session.now, catalog.newest_change, shards)
        catalog.update(session.execute, record)
    catalog.streamed_changes[table.record.number] = count


def read_changes(
    session: Session, after: int, table: Table | None, limit: int
) -> tuple[list[ChangeRecord], int]:
    """Return the changes after a position, and the position to continue from."""
    execute = session.execute
    # The newest position is read before the changes and the oldest after them: on a server the
    # feed may grow and be trimmed meanwhile.
    _, newest = feed_bounds(execute)
    rows = execute(
        f"SELECT {session.catalog.change_columns} FROM changes WHERE position > ? "
        + ("" if table is None else f"AND number = {table.record.number} ")
        + "ORDER BY position LIMIT ?",
        (after, limit),
    )
    changes = [change_record(row) for row in rows]
    oldest, _ = feed_bounds(execute)
    if after < oldest - 1:
        raise TrimmedDataAccess(
            f"The change feed starts at position {oldest}, so changes after position {after} are "
            "missing. Read the tables again and continue from the current end, or keep changes "
            "longer: Settings.retention, or --feed-records of the endpoint."
        )
    if session.catalog.pending_changes is None:
        _check_order([after, *(change.position for change in changes)], is_complete=table is None)
    # A full page may not be the last; otherwise everything up to the newest change was read.
    last = changes[-1].position if changes else after
    return changes, last if len(changes) == limit else max(last, newest)


def _check_order(positions: list[int], *, is_complete: bool) -> None:
    """Raise DamagedData if changes are repeated, out of order or, in a complete feed, missing."""
    for before, position in pairwise(positions):
        if position <= before or (is_complete and position > before + 1):
            raise DamagedData(f"The change feed between {before} and {position}")


def feed_bounds(execute: Execute) -> tuple[int, int]:
    """Return the oldest and newest stored positions; (1, 0) if the feed is empty."""
    ((oldest, newest),) = execute(
        "SELECT (SELECT min(position) FROM changes), (SELECT max(position) FROM changes)"
    )
    return cast(int, oldest or 1), cast(int, newest or 0)


def last_change_time(execute: Execute) -> float:
    """Return the time of the newest change, or 0 if it is missing or damaged."""
    newest = f"SELECT {CHANGE_COLUMNS} FROM changes ORDER BY position DESC LIMIT 1"
    for row in execute(newest):
        return cast(float, row[3]) if is_intact_change(row) else 0
    return 0


def change_record(row: tuple[Any, ...]) -> ChangeRecord:
    """Return the change in a row of the feed; raise DamagedData if its checksum is wrong."""
    position, _, name, time, expired, key_names, old, new, _ = row
    if not is_intact_change(row):
        raise DamagedData(f"Change {position} of the change feed")
    item = item_from_json(new or old or b"{}")
    return ChangeRecord(
        position=position,
        table_name=name,
        kind="INSERT" if old is None else "REMOVE" if new is None else "MODIFY",
        when=time,
        keys={name: item[name] for name in _decode_names(key_names)},
        expired=bool(expired),
        raw_old=None if old is None else Raw(old),
        raw_new=None if new is None else Raw(new),
    )


def _end_block(session: Session) -> None:
    """Store the size of the changes since the last block, and trim what exceeds the retention."""
    execute, retention = session.execute, session.settings.retention
    catalog = session.catalog
    ((size,),) = execute(
        "SELECT coalesce(sum(coalesce(length(old), 0) + coalesce(length(new), 0)), 0) FROM changes "
        "WHERE position > (SELECT coalesce(max(position), 0) FROM change_blocks)"
    )
    last_block, catalog.newest_block = catalog.newest_block, catalog.newest_change
    newest = catalog.newest_block
    execute("INSERT INTO change_blocks VALUES (?, ?)", (newest, size))
    catalog.block_bytes += size
    catalog.counts.save(session.command, newest)
    needed = newest - 1
    started = first_streamed(
        (table.record for table in session.catalog.draft.values()),
        session.now,
        to_kinesis=session.settings.kinesis_folder is not None,
    )
    if started is not None:
        needed = min(needed, max(started, last_before(execute, session.now - RETENTION)))
    trim_to = max(
        newest - retention.records,
        _last_over_size(execute, catalog.block_bytes - retention.bytes, min(needed, last_block)),
        last_before(execute, session.now - retention.seconds),
    )
    trim_to = min(trim_to, needed)
    execute("DELETE FROM changes WHERE position <= ?", (trim_to,))
    for (removed,) in execute(
        "DELETE FROM change_blocks WHERE position <= ? RETURNING bytes", (trim_to,)
    ):
        catalog.block_bytes -= removed


def _last_over_size(execute: Execute, excess: int, last: int) -> int:
    """Return the end of the oldest blocks that have the excess together, none after `last`."""
    end = 0
    select = "SELECT position, bytes FROM change_blocks WHERE position <= ? ORDER BY position"
    for position, size in execute(select, (last,)) if excess > 0 else ():
        if not isinstance(size, int):
            raise DamagedData("The recorded size of the change feed")
        excess, end = excess - size, position
        if excess <= 0:
            break
    return end


def last_before(execute: Execute, since: float) -> int:
    """Return the position before the first change since a timestamp, or that of the last change."""
    _, newest = feed_bounds(execute)  # first: the feed may grow meanwhile
    select = "SELECT position FROM changes WHERE moment >= ? ORDER BY position LIMIT 1"
    for (first,) in execute(select, (since,)):
        return cast(int, first) - 1
    return newest
