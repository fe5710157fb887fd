"""Handle GetShardIterator."""

from __future__ import annotations

from dynamodb_engine.engine.catalog import Session
from dynamodb_engine.engine.change_feed import last_before
from dynamodb_engine.engine.stream_shards import RETENTION, ShardRange, parse_sequence_number
from dynamodb_engine.engine.streams import (
    Place,
    check_not_trimmed,
    find_stream,
    newest_position,
    parse_stream_arn,
)
from dynamodb_engine.errors import ValidationError
from dynamodb_engine.operations import GetShardIterator, GetShardIteratorOutput
from dynamodb_engine.values import INVALID


def check(request: GetShardIterator) -> GetShardIterator:
    """Raise ValidationError unless the parameters fit the type of iterator."""
    parse_stream_arn(request.stream_arn)
    kind, number, time = request.shard_iterator_type, request.sequence_number, request.timestamp
    for name, is_passed, is_valid, is_expected in (
        ("SequenceNumber", number is not None, (number or "").isdecimal(), "_SEQUENCE_" in kind),
        ("Timestamp", time is not None, time is not None, kind == "AT_TIMESTAMP"),
    ):
        if is_passed and not is_expected:
            raise ValidationError(f"{INVALID}{name} should not be passed for this iterator type")
        if is_expected and not is_valid:
            raise ValidationError(f"{INVALID}Invalid {name}")
    return request


def run(request: GetShardIterator, session: Session) -> GetShardIteratorOutput:
    """Return an iterator for the position."""
    newest = newest_position(session)
    found = find_stream(session, request.stream_arn)
    shard = found.shard(request.shard_id, session.now)
    last = newest if shard.end is None else shard.end
    after = None
    match request.shard_iterator_type:
        case "TRIM_HORIZON":
            pass
        case "LATEST":
            after = last
        case "AT_TIMESTAMP":
            after = _position_at(request.timestamp or 0, session, last)
        case _:
            after = _position(request, shard, last)
            check_not_trimmed(session, found.stream, after)
    place = Place(found.arn, shard.id, after, int(session.now * 1000))
    return GetShardIteratorOutput(place.encode())


def _position_at(time: float, session: Session, last: int) -> int | None:
    """Return the position before the first change since a time; None if some are trimmed."""
    if time > session.now:
        raise ValidationError(f"{INVALID}Timestamp cannot be in the future")
    if time < session.now - RETENTION:
        return None
    return min(last_before(session.execute, time), last)


def _position(request: GetShardIterator, shard: ShardRange, last: int) -> int:
    """Return the position that the iterator starts after."""
    parsed = parse_sequence_number(request.sequence_number or "")
    if parsed is None or not (shard.start, True) <= parsed <= (last, True):
        raise ValidationError("Invalid SequenceNumber for the shard")
    position, is_between = parsed
    is_after = is_between or request.shard_iterator_type == "AFTER_SEQUENCE_NUMBER"
    return position if is_after else position - 1
