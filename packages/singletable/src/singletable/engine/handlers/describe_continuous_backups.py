"""Handle DescribeContinuousBackups."""

from __future__ import annotations

from singletable.engine.catalog import Session
from singletable.engine.control.settings import NO_BACKUPS, find_table_for_backups
from singletable.operations import DescribeContinuousBackups, DescribeContinuousBackupsOutput


def run(request: DescribeContinuousBackups, session: Session) -> DescribeContinuousBackupsOutput:
    """Return the state of point-in-time recovery."""
    find_table_for_backups(request.table_name, session)
    return DescribeContinuousBackupsOutput(NO_BACKUPS)
