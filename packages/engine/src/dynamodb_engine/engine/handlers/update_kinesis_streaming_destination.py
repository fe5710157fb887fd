"""Handle UpdateKinesisStreamingDestination."""

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
    UpdateKinesisStreamingDestination,
    UpdateKinesisStreamingDestinationOutput,
)


def run(
    request: UpdateKinesisStreamingDestination, session: Session
) -> UpdateKinesisStreamingDestinationOutput:
    """Change the precision of the times in records."""
    record, arn = find_record(session, request.table_name), request.stream_arn
    configuration = request.update_kinesis_streaming_configuration
    precision = configuration and configuration.approximate_creation_date_time_precision
    if precision is None:
        raise ValidationError(
            "Streaming destination cannot be updated with given parameters: "
            "UpdateKinesisStreamingConfiguration cannot be null or contain only null values"
        )
    stored = find_destination(record, arn)
    if stored is None:
        raise invalid_state(
            f"No streaming destination with streamArn: {arn} found for table with tableName: "
            f"{record.name}"
        )
    if destination_status(record, stored, session.control_time) != "ACTIVE":
        raise invalid_state(
            "Kinesis streaming is not in ACTIVE state. Updates are only allowed in ACTIVE state. "
            f"TableName: {record.name}, kdsArn: {arn}"
        )
    if precision == (stored.precision or "MILLISECOND"):
        raise ValidationError(
            f"Invalid Request: Precision is already set to the desired value of {precision} for "
            f"tableId: {record.id}, kdsArn: {arn}"
        )
    store_destination(session, record, replace(stored, precision=precision, changing="UPDATING"))
    return UpdateKinesisStreamingDestinationOutput(record.name, arn, "UPDATING", configuration)
