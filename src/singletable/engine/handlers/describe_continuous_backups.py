"""Check and run DescribeContinuousBackups."""

from __future__ import annotations

from singletable.engine.catalog import Session
from singletable.engine.control.backups import backed_up, describe_backups
from singletable.operations import DescribeContinuousBackups, DescribeContinuousBackupsOutput


def run(request: DescribeContinuousBackups, session: Session) -> DescribeContinuousBackupsOutput:
    """Whether a table can be restored as it was at some moment."""
    table = backed_up(request.table_name, "DescribeContinuousBackups", session)
    return DescribeContinuousBackupsOutput(describe_backups(table.record, session.now))
