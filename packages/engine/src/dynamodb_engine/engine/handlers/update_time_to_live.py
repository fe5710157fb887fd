"""Handle UpdateTimeToLive."""

from __future__ import annotations

from msgspec.structs import replace

from dynamodb_engine.engine.catalog import Session
from dynamodb_engine.engine.control.backfill import clear_expiry, fill_expiry
from dynamodb_engine.engine.control.state import IN_USE, check_settled, table_status
from dynamodb_engine.engine.table_record import UNTIL_FILLED, TableRecord, TimeToLiveRecord
from dynamodb_engine.errors import ResourceInUse, ValidationError
from dynamodb_engine.operations import (
    TimeToLiveSpecification,
    UpdateTimeToLive,
    UpdateTimeToLiveOutput,
)


def run(request: UpdateTimeToLive, session: Session) -> UpdateTimeToLiveOutput:
    """Enable or disable TTL on an attribute."""
    specification = request.time_to_live_specification
    if not specification.attribute_name:
        raise ValidationError("TimeToLiveSpecification.AttributeName must be non empty")
    table = session.table_in_any_state(request.table_name)
    _check_state(table.record, session.control_time)
    _check_changes(table.record.time_to_live, specification)
    settled = session.control_time + session.settings.delays.time_to_live
    new = TimeToLiveRecord(specification.attribute_name, specification.enabled, settled)
    if session.catalog.fills_later:
        new = replace(new, settled_by=UNTIL_FILLED if new.enabled else settled)
        session.catalog.update(session.execute, replace(table.record, time_to_live=new))
        return UpdateTimeToLiveOutput(specification)
    table = session.catalog.update(session.execute, replace(table.record, time_to_live=new))
    set_expiry = fill_expiry if specification.enabled else clear_expiry
    set_expiry(table, session.execute)
    return UpdateTimeToLiveOutput(specification)


def _check_state(record: TableRecord, now: float) -> None:
    # AWS words this error differently here and in UpdateTable.
    if table_status(record, now) == "CREATING":
        raise ResourceInUse(f"{IN_USE}Table {record.name} is being created")
    check_settled(record, now)


def _check_changes(
    current: TimeToLiveRecord | None, specification: TimeToLiveSpecification
) -> None:
    enabled = current is not None and current.enabled
    if current is not None and enabled and current.attribute != specification.attribute_name:
        raise ValidationError(
            "TimeToLive is active on a different AttributeName: current AttributeName is "
            f"{current.attribute}"
        )
    if enabled == specification.enabled:
        raise ValidationError(f"TimeToLive is already {'enabled' if enabled else 'disabled'}")
