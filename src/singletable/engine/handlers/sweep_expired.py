"""Handle SweepExpired, an operation of our own: delete expired items, as DynamoDB does itself."""

from __future__ import annotations

from singletable.engine.catalog import Session
from singletable.engine.item_write import StoredItem, delete
from singletable.engine.storage import DamagedData
from singletable.engine.table import Table
from singletable.operations import SweepExpired, SweepExpiredOutput

# As on AWS, an item that expired longer ago is kept: the number is probably not a timestamp.
FIVE_YEARS = 5 * 365 * 24 * 60 * 60


def run(request: SweepExpired, session: Session) -> SweepExpiredOutput:
    """Delete expired items; the change feed marks each change as expired."""
    names = [request.table_name] if request.table_name is not None else list(session.tables)
    removed = 0
    for name in names:
        table = session.tables.get(name) if request.table_name is None else session.table(name)
        if table is None or not _has_ttl(session, table):
            continue
        removed += _sweep(session, table, request.limit - removed)
        if removed >= request.limit:
            return SweepExpiredOutput(removed, more=True)
    return SweepExpiredOutput(removed, more=False)


def _has_ttl(session: Session, table: Table) -> bool:
    """Return whether TTL is enabled for the table; not while it is being enabled."""
    ttl = table.record.time_to_live
    is_enabled = ttl is not None and ttl.enabled and ttl.settled_by <= session.control_time
    return is_enabled and table.record.deleted_by is None


def _sweep(session: Session, table: Table, limit: int) -> int:
    now = int(session.now)
    expired = table.rows.list_expired(session.execute, now - FIVE_YEARS, now, limit)
    for key, row, expires in expired:
        stored = StoredItem(table, key, row)
        if stored.item is None or table.expires_at(stored.item) != expires:
            assert table.rows.checksums is not None  # nothing is damaged in memory
            raise DamagedData(f"{table.rows.checksums.describe(*key)} or its expiry time")
        delete(session, stored, expired=True)
    return len(expired)
