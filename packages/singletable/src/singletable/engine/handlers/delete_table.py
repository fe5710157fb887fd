"""Handle DeleteTable."""

from __future__ import annotations

from math import inf

from msgspec.structs import replace

from singletable.engine.catalog import Session
from singletable.engine.control.describe import EMPTY, describe_table
from singletable.engine.control.state import check_deletable, check_settled
from singletable.errors import ValidationError
from singletable.operations import DeleteTable, DeleteTableOutput

PROTECTED = (
    "Resource cannot be deleted as it is currently protected against deletion. "
    "Disable deletion protection first."
)


def run(request: DeleteTable, session: Session) -> DeleteTableOutput:
    """Drop the table at once; its name stays in use as long as a deletion takes."""
    table = session.table_in_any_state(request.table_name)
    record, now = table.record, session.control_time
    check_settled(record, now)
    if record.deletion_protection:
        raise ValidationError(PROTECTED)
    check_deletable(record, now)
    for rows in (table.rows, *(index.rows for index in table.indexes)):
        rows.drop(session.execute)
    delay = session.settings.delays.delete_table
    if delay:
        session.catalog.update(session.execute, replace(record, deleted_by=now + delay))
    else:
        session.catalog.remove(session.execute, record)
    shown = replace(record, deleted_by=inf)
    return DeleteTableOutput(describe_table(shown, EMPTY, session.settings, now))
