"""Handle DescribeTimeToLive."""

from __future__ import annotations

from singletable import operations as ops
from singletable.engine.catalog import Session
from singletable.engine.control.state import table_status
from singletable.engine.table_record import TimeToLiveRecord
from singletable.errors import ValidationError


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
