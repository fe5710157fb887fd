"""Check and run UpdateTimeToLive."""

from __future__ import annotations

from msgspec.structs import replace

from singletable.engine.catalog import Session
from singletable.engine.control.backfill import clear_expiry, fill_expiry
from singletable.engine.control.settings import resolve_table_name
from singletable.engine.control.state import IN_USE, check_settled, table_status
from singletable.engine.table_record import TableRecord, TimeToLiveRecord
from singletable.errors import ResourceInUse, ValidationError
from singletable.operations import TimeToLiveSpecification, UpdateTimeToLive, UpdateTimeToLiveOutput


def run(request: UpdateTimeToLive, session: Session) -> UpdateTimeToLiveOutput:
    """Let items expire by an attribute from now on, or no longer."""
    asked = request.time_to_live_specification
    if not asked.attribute_name:
        raise ValidationError("TimeToLiveSpecification.AttributeName must be non empty")
    name = resolve_table_name(request.table_name, "UpdateTimeToLive", session.settings)
    table = session.table_in_any_state(name)
    _check_state(table.record, session.now)
    _check_changes(table.record.time_to_live, asked)
    settled = session.now + session.settings.delays.time_to_live
    new = TimeToLiveRecord(asked.attribute_name, asked.enabled, settled)
    table = session.catalog.update(session.execute, replace(table.record, time_to_live=new))
    keep = fill_expiry if asked.enabled else clear_expiry
    keep(table, session.execute)
    return UpdateTimeToLiveOutput(asked)


def _check_state(record: TableRecord, now: float) -> None:
    # AWS puts the same refusal in other words here than in UpdateTable.
    if table_status(record, now) == "CREATING":
        raise ResourceInUse(f"{IN_USE}Table {record.name} is being created")
    check_settled(record, now)


def _check_changes(current: TimeToLiveRecord | None, asked: TimeToLiveSpecification) -> None:
    enabled = current is not None and current.enabled
    if current is not None and enabled and current.attribute != asked.attribute_name:
        raise ValidationError(
            "TimeToLive is active on a different AttributeName: current AttributeName is "
            f"{current.attribute}"
        )
    if enabled == asked.enabled:
        raise ValidationError(f"TimeToLive is already {'enabled' if enabled else 'disabled'}")
