"""Handle GetRecords."""

from __future__ import annotations

from dynamodb_engine.engine.catalog import Session
from dynamodb_engine.engine.streams import (
    ITERATOR_LIFETIME,
    Place,
    check_not_trimmed,
    decode_iterator,
    find_stream,
    newest_position,
    parse_stream_arn,
    read_shard,
    trim_horizon,
)
from dynamodb_engine.errors import ExpiredIterator, ValidationError
from dynamodb_engine.operations import GetRecords, GetRecordsOutput
from dynamodb_engine.values import INVALID

PAGE = 1000


def check(request: GetRecords) -> tuple[Place, int]:
    """Return what the iterator says, and the limit; raise ValidationError if one is invalid."""
    limit = request.limit or PAGE
    if limit > PAGE:
        raise ValidationError(f"{INVALID}Limit should be less than or equal to {PAGE}")
    place = decode_iterator(request.shard_iterator)
    parse_stream_arn(place.arn)
    return place, limit


def run(plan: tuple[Place, int], session: Session) -> GetRecordsOutput:
    """Return a page of records, and the iterator of the next page."""
    place, limit = plan
    now = int(session.now * 1000)
    if now - place.created > ITERATOR_LIFETIME * 1000:
        raise ExpiredIterator("The provided iterator exceeds the maximum age allowed")
    newest = newest_position(session)
    found = find_stream(session, place.arn)
    shard = found.shard(place.shard_id, session.now)
    is_fixed = place.after is not None
    after = max(place.after or 0, shard.start) if is_fixed else trim_horizon(session, shard)
    records, position = read_shard(session, found, shard, after, newest, limit)
    if is_fixed:
        check_not_trimmed(session, found.stream, after)
    if shard.end is not None and position >= shard.end:
        return GetRecordsOutput(records)
    following = Place(place.arn, place.shard_id, max(position, after), now)
    return GetRecordsOutput(records, following.encode())
