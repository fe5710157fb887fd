"""Handle EnableKinesisStreamingDestination."""

from __future__ import annotations

from dynamodb_engine import operations as ops
from dynamodb_engine.engine.catalog import Session
from dynamodb_engine.engine.control.kinesis import (
    destination_status,
    find_failure,
    find_record,
    invalid_state,
    store_destination,
)
from dynamodb_engine.engine.control.state import check_settled
from dynamodb_engine.engine.table_record import StoredDestination


def run(
    request: ops.EnableKinesisStreamingDestination, session: Session
) -> ops.KinesisStreamingDestinationOutput:
    """Store a destination of all later changes; a stream that cannot be one fails, as on AWS."""
    record, arn = find_record(session, request.table_name), request.stream_arn
    for stored in record.destinations:
        status = destination_status(record, stored, session.control_time)
        if status not in ("DISABLED", "ENABLE_FAILED"):
            raise invalid_state(
                "EnableKinesisStreamingDestination must be DISABLED or ENABLE_FAILED to perform "
                "ENABLE operation."
            )
    check_settled(record, session.control_time)
    configuration = (
        request.enable_kinesis_streaming_configuration or ops.EnableKinesisStreamingConfiguration()
    )
    destination = StoredDestination(
        arn,
        start=session.catalog.last_change(session.execute, record),
        precision=configuration.approximate_creation_date_time_precision,
        failure=find_failure(arn, session.settings),
    )
    store_destination(session, record, destination)
    return ops.KinesisStreamingDestinationOutput(record.name, arn, "ENABLING", configuration)
