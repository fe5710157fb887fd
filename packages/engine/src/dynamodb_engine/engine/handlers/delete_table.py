"""Handle DeleteTable."""

from __future__ import annotations

from math import inf

from msgspec.structs import replace

from dynamodb_engine.engine.catalog import Session, is_deleted
from dynamodb_engine.engine.control.describe import EMPTY, describe_table
from dynamodb_engine.engine.control.state import check_deletable, check_settled
from dynamodb_engine.engine.row_counts import all_rows
from dynamodb_engine.engine.stream_shards import close_stream, readable_streams
from dynamodb_engine.errors import ValidationError
from dynamodb_engine.operations import DeleteTable, DeleteTableOutput

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
    for rows in all_rows(table):
        session.catalog.drop_rows(session.execute, rows)
    last = session.catalog.last_change(session.execute, record)
    deleted_by = now + session.settings.delays.delete_table
    deleted = replace(close_stream(record, session.now, last), stream=None, deleted_by=deleted_by)
    session.catalog.update(session.execute, deleted)
    remove_deleted_tables(session)
    shown = replace(record, deleted_by=inf)
    return DeleteTableOutput(describe_table(shown, EMPTY, session.settings, now))


def remove_deleted_tables(session: Session, name: str | None = None) -> None:
    """Remove the records of deleted tables, or of that one, unless a stream can still be read."""
    for table in list(session.catalog.draft.values()):
        if is_deleted(table, session.control_time) and (
            table.name == name or not readable_streams(table.record, session.now)
        ):
            session.catalog.remove(session.execute, table.record)
