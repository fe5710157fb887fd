"""Handle UpdateTable."""

from __future__ import annotations

from msgspec.structs import replace

from dynamodb_engine.engine.catalog import Session
from dynamodb_engine.engine.control.backfill import backfill, mark_unfilled
from dynamodb_engine.engine.control.describe import count_items, describe_table
from dynamodb_engine.engine.control.indexes import index_actions
from dynamodb_engine.engine.control.records import (
    FOREVER,
    drop_deleted_indexes,
    to_stored,
    update_record,
)
from dynamodb_engine.engine.control.state import (
    check_index_actions,
    check_no_conflict,
    check_settled,
)
from dynamodb_engine.engine.control.validation import check_update_of_table, check_update_table
from dynamodb_engine.engine.stream_shards import close_stream, open_stream, stored_streams
from dynamodb_engine.engine.table import Table
from dynamodb_engine.engine.table_record import TableRecord
from dynamodb_engine.operations import UpdateTable, UpdateTableOutput


def run(request: UpdateTable, session: Session) -> UpdateTableOutput:
    """Change the table at once; the description shows the change after the configured delay."""
    check_update_table(request)
    table = session.table_in_any_state(request.table_name)
    now, settings = session.control_time, session.settings
    check_settled(table.record, now)
    record, actions = drop_deleted_indexes(table.record, now), index_actions(request)
    check_no_conflict(record, request, actions, now)
    check_index_actions(record, actions, now)
    check_update_of_table(record, request, actions)
    counts = count_items(table, session)
    new = to_stored(update_record(record, request, actions, now, settings.delays), now)
    if request.stream_specification is not None:
        new = _update_streams(replace(new, streams=stored_streams(record)), session)
    if session.catalog.fills_later:
        new = mark_unfilled(new, table.record)
    _rebuild_indexes(table, session.catalog.update(session.execute, new), session)
    shown = update_record(record, request, actions, now, FOREVER)
    return UpdateTableOutput(describe_table(shown, counts, settings, now))


def _update_streams(record: TableRecord, session: Session) -> TableRecord:
    """Return the record with a new stream, or without the enabled one."""
    last = session.catalog.last_change(session.execute, record)
    if record.stream is None:
        return close_stream(record, session.now, last)
    return open_stream(record, session.control_time, last, session.settings.stream_shards)


def _rebuild_indexes(old: Table, new: Table, session: Session) -> None:
    """Backfill the added indexes, and drop the removed ones."""
    before = {index.record.number for index in old.indexes}
    after = {index.record.number for index in new.indexes}
    for index in old.indexes:
        if index.record.number not in after:
            session.catalog.drop_rows(session.execute, index.rows)
    for index in new.indexes:
        if index.record.number not in before:
            session.catalog.create_rows(session.execute, index.rows)
            if not session.catalog.fills_later:
                backfill(new, index, session.execute)
                session.catalog.counts.start(
                    session.execute, index.rows, session.catalog.newest_change
                )
