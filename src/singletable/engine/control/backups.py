"""Continuous backups as a table's record tells of them.

The engine takes none: what was asked for is remembered and shown, and no time is shown that a
table could be restored to.                                               (compatibility.md)
"""

from __future__ import annotations

from singletable.engine.catalog import Session
from singletable.engine.control.names import table_name
from singletable.engine.control.states import table_status
from singletable.engine.table import Table
from singletable.engine.table_record import TableRecord
from singletable.errors import BackupTableNotFound, TableNotFound
from singletable.operations import ContinuousBackupsDescription, PointInTimeRecoveryDescription


def backed_up(given: str, action: str, session: Session) -> Table:
    """The table, in whatever state it is; AWS has a name and words of its own if there is none."""
    name = table_name(given, action, session.settings)
    try:
        return session.table_in_any_state(name)
    except TableNotFound:
        raise BackupTableNotFound(f"Table not found: {name}") from None


def describe_backups(record: TableRecord, now: float) -> ContinuousBackupsDescription:
    """The backups as they stand; every table has them by itself once it is made."""
    days = record.recovery_days
    return ContinuousBackupsDescription(
        "DISABLED" if table_status(record, now) == "CREATING" else "ENABLED",
        PointInTimeRecoveryDescription("DISABLED" if days is None else "ENABLED", days),
    )
