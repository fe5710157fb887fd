"""Operations on Kinesis streaming destinations: streams that get the changes of a table."""

from __future__ import annotations

from typing import Literal, TypeAlias

from dynamodb_engine.operations.base import Operation, Shape

__all__ = [
    "ApproximateCreationDateTimePrecision",
    "DescribeKinesisStreamingDestination",
    "DescribeKinesisStreamingDestinationOutput",
    "DestinationStatus",
    "DisableKinesisStreamingDestination",
    "EnableKinesisStreamingConfiguration",
    "EnableKinesisStreamingDestination",
    "KinesisDataStreamDestination",
    "KinesisStreamingDestinationOutput",
    "UpdateKinesisStreamingConfiguration",
    "UpdateKinesisStreamingDestination",
    "UpdateKinesisStreamingDestinationOutput",
]

ApproximateCreationDateTimePrecision: TypeAlias = Literal["MILLISECOND", "MICROSECOND"]
DestinationStatus: TypeAlias = Literal[
    "ENABLING", "ACTIVE", "UPDATING", "DISABLING", "DISABLED", "ENABLE_FAILED"
]


class EnableKinesisStreamingConfiguration(Shape, frozen=True):
    """The precision of the times in records: milliseconds unless given."""

    approximate_creation_date_time_precision: ApproximateCreationDateTimePrecision | None = None


class UpdateKinesisStreamingConfiguration(Shape, frozen=True):
    """The new precision of the times in records."""

    approximate_creation_date_time_precision: ApproximateCreationDateTimePrecision | None = None


class KinesisStreamingDestinationOutput(Shape, frozen=True):
    """The destination that is being enabled or disabled."""

    table_name: str
    stream_arn: str
    destination_status: DestinationStatus
    enable_kinesis_streaming_configuration: EnableKinesisStreamingConfiguration | None = None


class EnableKinesisStreamingDestination(Operation[KinesisStreamingDestinationOutput], frozen=True):
    """Start to send the changes of a table to a Kinesis stream."""

    table_name: str
    stream_arn: str
    enable_kinesis_streaming_configuration: EnableKinesisStreamingConfiguration | None = None


class DisableKinesisStreamingDestination(Operation[KinesisStreamingDestinationOutput], frozen=True):
    """Stop to send the changes of a table to a Kinesis stream."""

    table_name: str
    stream_arn: str
    enable_kinesis_streaming_configuration: EnableKinesisStreamingConfiguration | None = None


class UpdateKinesisStreamingDestinationOutput(Shape, frozen=True):
    """The destination that is being changed."""

    table_name: str
    stream_arn: str
    destination_status: DestinationStatus
    update_kinesis_streaming_configuration: UpdateKinesisStreamingConfiguration | None = None


class UpdateKinesisStreamingDestination(
    Operation[UpdateKinesisStreamingDestinationOutput], frozen=True
):
    """Change the precision of the times in records."""

    table_name: str
    stream_arn: str
    update_kinesis_streaming_configuration: UpdateKinesisStreamingConfiguration | None = None


class KinesisDataStreamDestination(Shape, frozen=True):
    """A Kinesis stream that gets, got or could not get the changes of a table."""

    stream_arn: str
    destination_status: DestinationStatus
    destination_status_description: str | None = None
    approximate_creation_date_time_precision: ApproximateCreationDateTimePrecision | None = None


class DescribeKinesisStreamingDestinationOutput(Shape, frozen=True):
    """The destinations of a table, the newest first; at most one is active."""

    table_name: str
    kinesis_data_stream_destinations: list[KinesisDataStreamDestination]


class DescribeKinesisStreamingDestination(
    Operation[DescribeKinesisStreamingDestinationOutput], frozen=True
):
    """Return the Kinesis streams that get the changes of a table."""

    table_name: str
