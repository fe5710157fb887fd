"""Handle SweepExpired, an operation of our own: delete expired items, as DynamoDB does itself."""

from __future__ import annotations

from dynamodb_engine.engine.catalog import Session
from dynamodb_engine.engine.item_write import StoredItem, delete
from dynamodb_engine.engine.storage import DamagedData, RowKey
from dynamodb_engine.engine.table import Table
from dynamodb_engine.operations import SweepExpired, SweepExpiredOutput

# As on AWS, an item that expired longer ago is kept: the number is probably not a timestamp.
FIVE_YEARS = 5 * 365 * 24 * 60 * 60


def places(request: SweepExpired, session: Session) -> list[tuple[Table, RowKey]]:
    """Return the places of expired items."""
    now, found = int(session.now), list[tuple[Table, RowKey]]()
    for table in _tables(request, session):
        room = request.limit - len(found)
        keys = table.rows.expired_keys(session.execute, now - FIVE_YEARS, now, room)
        found += [(table, key) for key in keys]
    return found


def run(request: SweepExpired, session: Session) -> SweepExpiredOutput:
    """Delete expired items; the change feed marks each change as expired.

    Damaged items stay. An error would undo the sweep, so it is raised once only they are left.
    """
    removed, damaged = 0, list[str]()
    for table in _tables(request, session):
        removed += _sweep(session, table, request.limit - removed, damaged)
        if removed >= request.limit:
            return SweepExpiredOutput(removed, more=True)
    if damaged and not removed:
        raise DamagedData(f"{damaged[0]} or its expiry time")
    return SweepExpiredOutput(removed, more=bool(damaged))


def _tables(request: SweepExpired, session: Session) -> list[Table]:
    """Return the tables to sweep: those with TTL."""
    name = request.table_name
    tables = session.tables.values() if name is None else [session.table(name)]
    return [table for table in tables if _has_ttl(session, table)]


def _has_ttl(session: Session, table: Table) -> bool:
    """Return whether TTL is enabled for the table; not while it is being enabled."""
    ttl = table.record.time_to_live
    is_enabled = ttl is not None and ttl.enabled and ttl.settled_by <= session.control_time
    return is_enabled and table.record.deleted_by is None


def _sweep(session: Session, table: Table, limit: int, damaged: list[str]) -> int:
    """Delete up to `limit` intact items and return how many. Add the first damaged to `damaged`."""
    now = int(session.now)
    expired: list[StoredItem] = []
    for key, row, expires in table.rows.read_expired(session.execute, now - FIVE_YEARS, now):
        stored = StoredItem(table, key, row)
        if stored.item is not None and table.expires_at(stored.item) == expires:
            expired.append(stored)
        elif not damaged:
            damaged.append(table.describe_row(key))
        if len(expired) == limit:
            break
    for stored in expired:
        delete(session, stored, expired=True)
    return len(expired)
