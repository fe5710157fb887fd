"""Run DescribeTable."""

from __future__ import annotations

from singletable.engine.catalog import Session
from singletable.engine.control.description import counts_of, describe
from singletable.engine.control.names import table_name
from singletable.operations import DescribeTable, DescribeTableOutput


def run(request: DescribeTable, session: Session) -> DescribeTableOutput:
    """The table as it stands now."""
    table = session.table_in_any_state(
        table_name(request.table_name, "DescribeTable", session.settings)
    )
    counts = counts_of(table, session)
    return DescribeTableOutput(describe(table.record, counts, session.settings, session.now))
