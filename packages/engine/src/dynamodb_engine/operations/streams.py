"""Operations of DynamoDB Streams: list and describe streams, and read the records of a shard."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import field

from dynamodb_engine.operations.base import Operation, Shape
from dynamodb_engine.operations.tables import KeySchemaElement, StreamViewType
from dynamodb_engine.values import Item

__all__ = [
    "DescribeStream",
    "DescribeStreamOutput",
    "GetRecords",
    "GetRecordsOutput",
    "GetShardIterator",
    "GetShardIteratorOutput",
    "Identity",
    "ListStreams",
    "ListStreamsOutput",
    "Record",
    "SequenceNumberRange",
    "Shard",
    "ShardFilter",
    "ShardIteratorType",
    "Stream",
    "StreamDescription",
    "StreamRecord",
    "StreamStatus",
]

ShardIteratorType: TypeAlias = Literal[
    "TRIM_HORIZON", "LATEST", "AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER", "AT_TIMESTAMP"
]
StreamStatus: TypeAlias = Literal["ENABLING", "ENABLED", "DISABLING", "DISABLED"]


class Stream(Shape, frozen=True):
    """A stream in a list."""

    stream_arn: str
    table_name: str
    stream_label: str


class ListStreamsOutput(Shape, frozen=True):
    """A page of streams. If `last_evaluated_stream_arn` is set, continue after it."""

    streams: list[Stream]
    last_evaluated_stream_arn: str | None = None


class ListStreams(Operation[ListStreamsOutput], frozen=True):
    """Return the streams of a table, or of all tables."""

    table_name: str | None = None
    limit: int | None = None
    exclusive_start_stream_arn: str | None = None


class SequenceNumberRange(Shape, frozen=True):
    """The sequence numbers of a shard; one without an end is open."""

    starting_sequence_number: str
    ending_sequence_number: str | None = None


class Shard(Shape, frozen=True):
    """A part of a stream. The records of its parent come before its own."""

    shard_id: str
    sequence_number_range: SequenceNumberRange
    parent_shard_id: str | None = None


class StreamDescription(Shape, frozen=True):
    """The current state of a stream, and a page of its shards."""

    stream_arn: str
    stream_label: str
    stream_status: StreamStatus
    stream_view_type: StreamViewType
    creation_request_date_time: float
    table_name: str
    key_schema: list[KeySchemaElement]
    shards: list[Shard]
    last_evaluated_shard_id: str | None = None


class DescribeStreamOutput(Shape, frozen=True):
    """The current state of the stream."""

    stream_description: StreamDescription


class ShardFilter(Shape, frozen=True):
    """Which shards to describe: the children of one."""

    type: Literal["CHILD_SHARDS"] | None = None
    shard_id: str | None = None


class DescribeStream(Operation[DescribeStreamOutput], frozen=True):
    """Return the status of a stream, and its shards."""

    stream_arn: str
    limit: int | None = None
    exclusive_start_shard_id: str | None = None
    shard_filter: ShardFilter | None = None


class GetShardIteratorOutput(Shape, frozen=True):
    """An iterator, which can be used for 15 minutes."""

    shard_iterator: str


class GetShardIterator(Operation[GetShardIteratorOutput], frozen=True):
    """Return an iterator for a position in a shard."""

    stream_arn: str
    shard_id: str
    shard_iterator_type: ShardIteratorType
    sequence_number: str | None = None
    timestamp: float | None = None


class Identity(Shape, frozen=True):
    """The identity that deleted an expired item: DynamoDB."""

    principal_id: str | None = None
    type: str | None = None


class StreamRecord(Shape, frozen=True):
    """What changed. The view type of the stream determines which images there are."""

    keys: Item
    sequence_number: str
    size_bytes: int
    stream_view_type: StreamViewType
    approximate_creation_date_time: float
    new_image: Item | None = None
    old_image: Item | None = None


class Record(Shape, frozen=True):
    """One change of one item."""

    event_id: str = field(name="eventID")
    event_name: Literal["INSERT", "MODIFY", "REMOVE"] = field(name="eventName")
    event_version: str = field(name="eventVersion")
    event_source: str = field(name="eventSource")
    aws_region: str = field(name="awsRegion")
    dynamodb: StreamRecord = field(name="dynamodb")
    user_identity: Identity | None = field(name="userIdentity", default=None)


class GetRecordsOutput(Shape, frozen=True):
    """Records in order; without a next iterator, the shard has ended."""

    records: list[Record]
    next_shard_iterator: str | None = None


class GetRecords(Operation[GetRecordsOutput], frozen=True):
    """Return the records of a shard from an iterator on."""

    shard_iterator: str
    limit: int | None = None
