"""Handle DescribeTable."""

from __future__ import annotations

from dynamodb_engine.engine.catalog import Session
from dynamodb_engine.engine.control.describe import count_items, describe_table
from dynamodb_engine.operations import DescribeTable, DescribeTableOutput


def run(request: DescribeTable, session: Session) -> DescribeTableOutput:
    """Return the description of the table."""
    table = session.table_in_any_state(request.table_name)
    counts = count_items(table, session)
    return DescribeTableOutput(
        describe_table(table.record, counts, session.settings, session.control_time)
    )
