"""Handle DisableKinesisStreamingDestination."""

from __future__ import annotations

from msgspec.structs import replace

from dynamodb_engine.engine.catalog import Session
from dynamodb_engine.engine.control.kinesis import (
    destination_status,
    find_destination,
    find_record,
    invalid_state,
    store_destination,
)
from dynamodb_engine.errors import ValidationError
from dynamodb_engine.operations import (
    DisableKinesisStreamingDestination,
    KinesisStreamingDestinationOutput,
)


def run(
    request: DisableKinesisStreamingDestination, session: Session
) -> KinesisStreamingDestinationOutput:
    """End a destination after the last change; it stays listed."""
    record, arn = find_record(session, request.table_name), request.stream_arn
    configuration = request.enable_kinesis_streaming_configuration
    if configuration and configuration.approximate_creation_date_time_precision is not None:
        raise ValidationError(
            "Stream cannot be disabled using EnableKinesisStreamingConfiguration parameters"
        )
    stored = find_destination(record, arn)
    status = stored and destination_status(record, stored, session.control_time)
    if stored is None or status not in ("ACTIVE", "DISABLING"):
        raise invalid_state(
            "KinesisStreamingDestination must be ACTIVE to perform DISABLE operation."
        )
    if status == "ACTIVE":
        last = session.catalog.last_change(session.execute, record)
        store_destination(session, record, replace(stored, end=last, changing="DISABLING"))
    return KinesisStreamingDestinationOutput(record.name, arn, "DISABLING")
