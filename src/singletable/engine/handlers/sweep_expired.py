"""Run SweepExpired, an operation of our own: what DynamoDB does in the background."""

from __future__ import annotations

from singletable.engine.catalog import Session
from singletable.engine.item_write import StoredItem, delete
from singletable.engine.table import Table
from singletable.operations import SweepExpired, SweepExpiredOutput

# An item that expired longer ago than this is left alone: the number is likely no time at all.
FIVE_YEARS = 5 * 365 * 24 * 60 * 60


def run(request: SweepExpired, session: Session) -> SweepExpiredOutput:
    """Remove items whose time is over; the feed tells of each as expired."""
    names = [request.table_name] if request.table_name is not None else list(session.tables)
    removed = 0
    for name in names:
        table = session.tables.get(name) if request.table_name is None else session.table(name)
        if table is None or not _expires(session, table):
            continue
        removed += _sweep(session, table, request.limit - removed)
        if removed >= request.limit:
            return SweepExpiredOutput(removed, more=True)
    return SweepExpiredOutput(removed, more=False)


def _expires(session: Session, table: Table) -> bool:
    """Whether the table's items expire by now: not while that is being switched on."""
    ttl = table.record.time_to_live
    settled = ttl is not None and ttl.enabled and ttl.settled_by <= session.now
    return settled and table.record.deleted_by is None


def _sweep(session: Session, table: Table, limit: int) -> int:
    now = int(session.now)
    expired = table.rows.list_expired(session.execute, now - FIVE_YEARS, now, limit)
    for position, row in expired:
        delete(session, StoredItem(table, position, row), expired=True)
    return len(expired)
