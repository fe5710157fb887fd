"""Check and run UpdateTable."""

from __future__ import annotations

from singletable.engine.catalog import Session
from singletable.engine.control.backfill import backfill
from singletable.engine.control.changes import FOREVER, changed, kept
from singletable.engine.control.conflicts import check_table_is_free
from singletable.engine.control.definitions import tidied
from singletable.engine.control.description import counts_of, describe
from singletable.engine.control.index_actions import actions_of
from singletable.engine.control.index_conflicts import check_actions
from singletable.engine.control.names import table_name
from singletable.engine.control.states import check_settled
from singletable.engine.control.suitability import check_suits
from singletable.engine.control.update_request import check_update
from singletable.engine.table import Table
from singletable.operations import UpdateTable, UpdateTableOutput


def run(request: UpdateTable, session: Session) -> UpdateTableOutput:
    """Change the table at once; what is shown of the change takes as long as it would."""
    check_update(request)
    table = session.table_in_any_state(
        table_name(request.table_name, "UpdateTable", session.settings)
    )
    now, settings = session.now, session.settings
    check_settled(table.record, now)
    record, actions = tidied(table.record, now), actions_of(request)
    check_table_is_free(record, request, actions, now)
    check_actions(record, actions, now)
    check_suits(record, request, actions)
    counts = counts_of(table, session)
    new = kept(changed(record, request, actions, now, settings.delays), now)
    _remake_indexes(table, session.catalog.update(session.execute, new), session)
    shown = changed(record, request, actions, now, FOREVER)
    return UpdateTableOutput(describe(shown, counts, settings, now))


def _remake_indexes(old: Table, new: Table, session: Session) -> None:
    """Fill the indexes that were added, and drop those that were removed."""
    before = {index.record.number for index in old.indexes}
    after = {index.record.number for index in new.indexes}
    for index in old.indexes:
        if index.record.number not in after:
            index.rows.drop(session.execute)
    for index in new.indexes:
        if index.record.number not in before:
            index.rows.create(session.execute)
            backfill(new, index, session.execute)
