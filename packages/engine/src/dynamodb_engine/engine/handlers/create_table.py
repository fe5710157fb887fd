"""Handle CreateTable."""

from __future__ import annotations

from math import inf

from msgspec.structs import replace

from dynamodb_engine.engine.catalog import Session, is_deleted
from dynamodb_engine.engine.control.describe import EMPTY, describe_table
from dynamodb_engine.engine.control.records import new_table
from dynamodb_engine.engine.control.state import IN_USE, table_status
from dynamodb_engine.engine.control.validation import check_create_table
from dynamodb_engine.engine.handlers.delete_table import remove_deleted_tables
from dynamodb_engine.engine.row_counts import all_rows
from dynamodb_engine.engine.stream_shards import open_stream, readable_streams
from dynamodb_engine.errors import ResourceInUse
from dynamodb_engine.operations import CreateTable, CreateTableOutput


def run(request: CreateTable, session: Session) -> CreateTableOutput:
    """Create an empty table; the name of a deleted table can be reused."""
    check_create_table(request)
    name = session.resolve(request.table_name)
    _check_free(name, session)
    former = session.catalog.draft.get(name)
    streams = () if former is None else readable_streams(former.record, session.now)
    remove_deleted_tables(session, name)
    record = new_table(request, name, session.settings, session.control_time, streams)
    table = session.catalog.add(session.execute, record)
    if record.stream is not None:
        start = session.catalog.last_change(session.execute, table.record)
        shards = session.settings.stream_shards
        opened = open_stream(table.record, session.control_time, start, shards)
        table = session.catalog.update(session.execute, opened)
    for rows in all_rows(table):
        session.catalog.create_rows(session.execute, rows)
    # The output shows the table as CREATING, even if that takes no time.
    shown = replace(table.record, created_by=inf)
    return CreateTableOutput(describe_table(shown, EMPTY, session.settings, session.control_time))


def _check_free(name: str, session: Session) -> None:
    table = session.tables.get(name)
    if table is None:
        return
    if is_deleted(table, session.control_time):
        return
    if table_status(table.record, session.control_time) == "CREATING":
        raise ResourceInUse(f"{IN_USE}Table is being created: {name}")
    raise ResourceInUse(f"Table already exists: {name}")
