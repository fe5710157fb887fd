"""Handle DescribeStream."""

from __future__ import annotations

from dynamodb_engine import operations as ops
from dynamodb_engine.engine.catalog import Session
from dynamodb_engine.engine.control.state import is_changing
from dynamodb_engine.engine.stream_shards import ShardRange, list_shards
from dynamodb_engine.engine.streams import FoundStream, find_stream, parse_stream_arn, shard_numbers
from dynamodb_engine.errors import ValidationError
from dynamodb_engine.values import INVALID

PAGE = 100


def check(request: ops.DescribeStream) -> ops.DescribeStream:
    """Raise ValidationError if the page is too large, or the ARN is not a stream's."""
    if (request.limit or 0) > PAGE:
        raise ValidationError(f"{INVALID}Limit cannot be greater than the maximum: {PAGE}")
    parse_stream_arn(request.stream_arn)
    return request


def run(request: ops.DescribeStream, session: Session) -> ops.DescribeStreamOutput:
    """Return the status of the stream, and a page of its shards."""
    found = find_stream(session, request.stream_arn)
    shards = list_shards(found.stream, session.now)
    if request.shard_filter is not None:
        shards = [shard for shard in shards if shard.parent == request.shard_filter.shard_id]
    start = request.exclusive_start_shard_id or ""
    size = request.limit or PAGE
    shards = [shard for shard in shards if shard.id > start]
    page = [_describe(session, shard) for shard in shards[:size]]
    stream = found.stream
    return ops.DescribeStreamOutput(
        ops.StreamDescription(
            stream_arn=found.arn,
            stream_label=stream.label,
            stream_status=_status(found, session.control_time),
            stream_view_type=stream.view_type,
            creation_request_date_time=stream.created,
            table_name=found.record.name,
            key_schema=stream.key_schema,
            shards=page,
            last_evaluated_shard_id=page[-1].shard_id if len(shards) > size else None,
        )
    )


def _describe(session: Session, shard: ShardRange) -> ops.Shard:
    return ops.Shard(
        shard.id, ops.SequenceNumberRange(*shard_numbers(session, shard)), shard.parent
    )


def _status(found: FoundStream, now: float) -> ops.StreamStatus:
    record, is_enabled = found.record, found.stream.end is None
    changes = is_changing(record, now) and record.changing == "STREAM"
    if (changes and record.stream_label == found.stream.label) or (
        is_enabled and record.created_by > now
    ):
        return "ENABLING" if is_enabled else "DISABLING"
    return "ENABLED" if is_enabled else "DISABLED"
