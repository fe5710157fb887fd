"""Handle ListTables."""

from __future__ import annotations

from dynamodb_engine.engine.catalog import Session, is_deleted
from dynamodb_engine.operations import ListTables, ListTablesOutput

PAGE = 100


def run(request: ListTables, session: Session) -> ListTablesOutput:
    """Return a page of table names, including tables that are being deleted."""
    start = request.exclusive_start_table_name or ""
    # Names are ASCII, so the order of text is the order of bytes.
    names = sorted(
        table.name
        for table in session.tables.values()
        if table.name > start and not is_deleted(table, session.control_time)
    )
    page = names[: request.limit or PAGE]
    return ListTablesOutput(page, page[-1] if len(page) < len(names) else None)
