"""The Kinesis streaming destinations of a table: their states, and the streams they name.

At most one destination of a table is enabled; those that were disabled or failed stay listed. AWS
accepts every ARN and reports later that it cannot use a stream, so that is a state here, too.
"""

from __future__ import annotations

import re

from msgspec.structs import replace

from dynamodb_engine.engine.catalog import Session
from dynamodb_engine.engine.control.state import table_status
from dynamodb_engine.engine.settings import Settings
from dynamodb_engine.engine.table_record import StoredDestination, TableRecord
from dynamodb_engine.errors import TableNotFound, ValidationError
from dynamodb_engine.operations import DestinationStatus
from dynamodb_engine.operations.arn import parse_arn

MAX_LISTED = 20
_STREAM = re.compile(r"stream/([a-zA-Z0-9_.-]{1,128})")
_NOT_USABLE = "The kinesis Arn used to enable kinesis replication belongs to a stream which is not "


def invalid_state(reason: str) -> ValidationError:
    """Return AWS's error for every state that an operation does not accept."""
    return ValidationError(
        f"Table is not in a valid state to enable Kinesis Streaming Destination: {reason}"
    )


def find_record(session: Session, name_or_arn: str) -> TableRecord:
    """Return the record of a table; to these operations, one that is being created is missing."""
    record = session.table_in_any_state(name_or_arn).record
    if table_status(record, session.control_time) == "CREATING":
        raise TableNotFound(f"Requested resource not found: Table: {record.name} not found")
    return record


def find_destination(record: TableRecord, arn: str) -> StoredDestination | None:
    """Return the destination with this ARN in any state, or None."""
    return next((stored for stored in record.destinations if stored.arn == arn), None)


def destination_status(
    record: TableRecord, stored: StoredDestination, now: float
) -> DestinationStatus:
    """Return the status of a destination; that of a table that is being deleted is UPDATING."""
    if stored.settled_by > now:
        return stored.changing
    if stored.end is not None:
        return "DISABLED"
    if stored.failure is not None:
        return "ENABLE_FAILED"
    return "ACTIVE" if record.deleted_by is None else "UPDATING"


def store_destination(session: Session, record: TableRecord, stored: StoredDestination) -> None:
    """Store a new or changed destination. The change takes effect after a delay."""
    until = session.control_time + session.settings.delays.kinesis_destination
    stored = replace(stored, settled_by=until)
    if find_destination(record, stored.arn) is None:
        destinations = (stored, *record.destinations)[:MAX_LISTED]
    else:
        destinations = tuple(stored if d.arn == stored.arn else d for d in record.destinations)
    session.catalog.update(session.execute, replace(record, destinations=destinations))


def stream_name(arn: str) -> str | None:
    """Return the name of the Kinesis stream with this ARN, or None if it is not a stream's."""
    parts = parse_arn(arn)
    if parts is None or parts.service != "kinesis" or parts.partition != "aws":
        return None
    found = _STREAM.fullmatch(parts.resource)
    return None if found is None else found[1]


def find_failure(arn: str, settings: Settings) -> str | None:
    """Return why the stream cannot be a destination, in AWS's words, or None."""
    parts = parse_arn(arn)
    if parts is None or stream_name(arn) is None:
        return "User does not have a permission to use kinesis stream"
    if parts.region != settings.region:
        return f"{_NOT_USABLE}in the current region"
    if parts.account != settings.account:
        return f"{_NOT_USABLE}in Active state"
    return None
