"""Handle DescribeKinesisStreamingDestination."""

from __future__ import annotations

from singletable.engine.catalog import Session
from singletable.engine.control.kinesis import destination_status, find_record
from singletable.operations import (
    DescribeKinesisStreamingDestination,
    DescribeKinesisStreamingDestinationOutput,
    KinesisDataStreamDestination,
)


def run(
    request: DescribeKinesisStreamingDestination, session: Session
) -> DescribeKinesisStreamingDestinationOutput:
    """Return the destinations of the table, disabled and failed ones included."""
    record = find_record(session, request.table_name)
    destinations: list[KinesisDataStreamDestination] = []
    for stored in record.destinations:
        status = destination_status(record, stored, session.control_time)
        failure = stored.failure if status == "ENABLE_FAILED" else None
        destinations.append(
            KinesisDataStreamDestination(stored.arn, status, failure, stored.precision)
        )
    return DescribeKinesisStreamingDestinationOutput(record.name, destinations)
