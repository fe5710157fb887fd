"""Handle DescribeTimeToLive."""

from __future__ import annotations

from dynamodb_engine import operations as ops
from dynamodb_engine.engine.catalog import Session
from dynamodb_engine.engine.control.state import table_status
from dynamodb_engine.engine.table_record import TimeToLiveRecord
from dynamodb_engine.errors import ValidationError


def run(request: ops.DescribeTimeToLive, session: Session) -> ops.DescribeTimeToLiveOutput:
    """Return the TTL status and attribute of the table."""
    record = session.table_in_any_state(request.table_name).record
    status = table_status(record, session.control_time)
    if status in ("CREATING", "DELETING"):
        raise ValidationError(
            f"Cannot describe time to live while table is in {status} state: "
            f"Current table state is {status}"
        )
    return ops.DescribeTimeToLiveOutput(_describe(record.time_to_live, session.control_time))


def _describe(record: TimeToLiveRecord | None, now: float) -> ops.TimeToLiveDescription:
    if record is None:
        return ops.TimeToLiveDescription("DISABLED")
    settled = record.settled_by <= now
    if record.enabled:
        return ops.TimeToLiveDescription("ENABLED" if settled else "ENABLING", record.attribute)
    if settled:
        return ops.TimeToLiveDescription("DISABLED")
    return ops.TimeToLiveDescription("DISABLING", record.attribute)
