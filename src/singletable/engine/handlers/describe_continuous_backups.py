"""Check and run DescribeContinuousBackups."""

from __future__ import annotations

from singletable.engine.control.backups import backed_up, describe_backups
from singletable.engine.session import Session
from singletable.operations import ContinuousBackupsDescribed, DescribeContinuousBackups


def describe_continuous_backups(
    request: DescribeContinuousBackups, session: Session
) -> ContinuousBackupsDescribed:
    """Whether a table can be restored as it was at some moment."""
    table = backed_up(request.table_name, "DescribeContinuousBackups", session)
    return ContinuousBackupsDescribed(describe_backups(table.record, session.now))
