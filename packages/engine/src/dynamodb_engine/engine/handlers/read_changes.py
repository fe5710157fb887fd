"""Handle ReadChanges, an operation of our own: the change feed from a position on."""

from __future__ import annotations

from dynamodb_engine.engine.catalog import Session
from dynamodb_engine.engine.change_feed import feed_bounds, read_changes
from dynamodb_engine.operations import ReadChanges, ReadChangesOutput


def run(request: ReadChanges, session: Session) -> ReadChangesOutput:
    """Return the changes after a position, in commit order."""
    table = None if request.table_name is None else session.table(request.table_name)
    if request.after is None:
        return ReadChangesOutput([], feed_bounds(session.execute)[1])
    changes, position = read_changes(session, request.after, table, request.limit)
    return ReadChangesOutput(changes, position)
