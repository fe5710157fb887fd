"""Handle DescribeKinesisStreamingDestination."""

from __future__ import annotations

from dynamodb_engine import operations as ops
from dynamodb_engine.engine.catalog import Session
from dynamodb_engine.engine.control.kinesis import destination_status, find_record


def run(
    request: ops.DescribeKinesisStreamingDestination, session: Session
) -> ops.DescribeKinesisStreamingDestinationOutput:
    """Return the destinations of the table, disabled and failed ones included."""
    record = find_record(session, request.table_name)
    destinations: list[ops.KinesisDataStreamDestination] = []
    for stored in record.destinations:
        status = destination_status(record, stored, session.control_time)
        failure = stored.failure if status == "ENABLE_FAILED" else None
        destinations.append(
            ops.KinesisDataStreamDestination(stored.arn, status, failure, stored.precision)
        )
    return ops.DescribeKinesisStreamingDestinationOutput(record.name, destinations)
