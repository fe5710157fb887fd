"""Handle DescribeContinuousBackups."""

from __future__ import annotations

from dynamodb_engine.engine.catalog import Session
from dynamodb_engine.engine.control.settings import NO_BACKUPS, find_table_for_backups
from dynamodb_engine.operations import DescribeContinuousBackups, DescribeContinuousBackupsOutput


def run(request: DescribeContinuousBackups, session: Session) -> DescribeContinuousBackupsOutput:
    """Return the state of point-in-time recovery."""
    find_table_for_backups(request.table_name, session)
    return DescribeContinuousBackupsOutput(NO_BACKUPS)
