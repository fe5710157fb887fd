"""Find streams and shards, and read the records of a shard from the change feed.

The newest position is read before the record of the table, and the changes after it: so a shard
that is closed meanwhile has no change that belongs to its successor.
"""

from __future__ import annotations

import binascii
from base64 import b64decode, b64encode
from hashlib import blake2b
from math import floor
from typing import NamedTuple

from dynamodb_engine.engine.catalog import Session
from dynamodb_engine.engine.change_feed import change_record, feed_bounds, last_before
from dynamodb_engine.engine.storage import MAX_POSITION
from dynamodb_engine.engine.stream_shards import (
    RETENTION,
    ShardRange,
    list_shards,
    number_after,
    readable_streams,
    sequence_number,
)
from dynamodb_engine.engine.table_record import StoredStream, TableRecord
from dynamodb_engine.errors import ResourceNotFound, TrimmedDataAccess, ValidationError
from dynamodb_engine.operations import ChangeRecord, Identity, Record, StreamRecord
from dynamodb_engine.operations.arn import parse_arn
from dynamodb_engine.values import item_size

ITERATOR_LIFETIME = 15 * 60
MAX_PAGE = 1024 * 1024  # bytes, as SizeBytes counts them
# A request looks at no more of other shards' changes, so that it never takes long.
_MAX_CHANGES, _MAX_BYTES, _CHUNK = 2000, 4 * 1024 * 1024, 100
_EXPIRED = Identity("dynamodb.amazonaws.com", "Service")


class FoundStream(NamedTuple):
    """A stream, and the record of its table, or of a later table with the same name."""

    arn: str
    stream: StoredStream
    record: TableRecord

    def shard(self, shard_id: str, now: float) -> ShardRange:
        """Return the shard with this id, or raise ResourceNotFound."""
        for shard in list_shards(self.stream, now):
            if shard.id == shard_id:
                return shard
        raise ResourceNotFound("Requested resource not found: Shard does not exist")


def parse_stream_arn(text: str) -> tuple[str, str]:
    """Return the table and the label in a stream's ARN; raise ValidationError if it is invalid."""
    arn = parse_arn(text)
    parts = [] if arn is None or arn.service != "dynamodb" else arn.resource.split("/")
    match parts:
        case ["table", table, "stream", label] if table and label:
            return table, label
        case _:
            raise ValidationError("Invalid StreamArn")


def find_stream(session: Session, arn: str) -> FoundStream:
    """Return the stream with this ARN; raise ResourceNotFound if it cannot be read."""
    table, label = parse_stream_arn(arn)
    if arn == stream_arn(session, table, label):
        record = session.catalog.read_record(session.execute, table)
        for stream in () if record is None else readable_streams(record, session.now):
            if stream.label == label and record is not None:
                return FoundStream(arn, stream, record)
    raise ResourceNotFound(f"Requested resource not found: Stream: {arn} not found")


def stream_arn(session: Session, table: str, label: str) -> str:
    """Return the ARN of a stream of this account and region."""
    return f"{session.settings.table_arn(table)}/stream/{label}"


class Place(NamedTuple):
    """What an iterator says: the position to read after, or the oldest record of the shard."""

    arn: str
    shard_id: str
    after: int | None
    created: int  # milliseconds

    def encode(self) -> str:
        """Return the iterator, which starts with the stream's ARN as on AWS."""
        after = "" if self.after is None else self.after
        text = f"{self.shard_id}|{after}|{self.created}"
        return f"{self.arn}|1|{b64encode(text.encode()).decode()}"


def decode_iterator(text: str) -> Place:
    """Return the place of an iterator; raise ValidationError if it is malformed."""
    try:
        arn, version, encoded = text.split("|")
        shard, after, created = b64decode(encoded, validate=True).decode("ascii").split("|")
        place = Place(arn, shard, int(after) if after else None, int(created))
        if version == "1" and 0 <= (place.after or 0) <= MAX_POSITION and place.encode() == text:
            return place
    except (ValueError, binascii.Error):
        pass
    raise ValidationError("Invalid ShardIterator")


def trimmed() -> TrimmedDataAccess:
    """Return the error for trimmed records."""
    return TrimmedDataAccess("The data you are trying to access has been trimmed")


def trim_horizon(session: Session, shard: ShardRange) -> int:
    """Return the position after which the shard's records are kept."""
    horizon = max(shard.start, last_before(session.execute, session.now - RETENTION))
    return horizon if shard.end is None else min(horizon, shard.end)


def check_not_trimmed(session: Session, stream: StoredStream, after: int) -> None:
    """Raise TrimmedDataAccess if a change of the table after a position was trimmed."""
    oldest, _ = feed_bounds(session.execute)
    if after < oldest - 1:
        raise trimmed()
    select = (
        "SELECT moment FROM changes WHERE position > ? AND number = ? ORDER BY position LIMIT 1"
    )
    for (moment,) in session.execute(select, (after, stream.number)):
        if moment < session.now - RETENTION:
            raise trimmed()


def read_shard(
    session: Session, found: FoundStream, shard: ShardRange, after: int, newest: int, limit: int
) -> tuple[list[Record], int]:
    """Return records after a position up to `newest`, and the position to continue from."""
    last = newest if shard.end is None else min(newest, shard.end)
    select = (
        f"SELECT {session.catalog.change_columns} FROM changes WHERE position > ? "
        f"AND position <= ? AND number = ? ORDER BY position LIMIT {_CHUNK}"
    )
    records: list[Record] = []
    seen = seen_bytes = page = 0
    while after < last and seen < _MAX_CHANGES:
        rows = list(session.execute(select, (after, last, found.stream.number)))
        for row in rows:
            change = change_record(row)
            if shard.contains(change.keys[found.stream.key_schema[0].attribute_name]):
                record = _record(session, found, change)
                page += record.dynamodb.size_bytes
                if records and page > MAX_PAGE:
                    return records, after
                records.append(record)
            after = change.position
            seen, seen_bytes = seen + 1, seen_bytes + len(row[6] or b"") + len(row[7] or b"")
            if len(records) == limit or seen_bytes > _MAX_BYTES:
                return records, after
        if len(rows) < _CHUNK:
            after = last
    return records, after


def _record(session: Session, found: FoundStream, change: ChangeRecord) -> Record:
    view = found.stream.view_type
    new = change.new if view.startswith("NEW") else None
    old = change.old if view.endswith(("OLD_IMAGE", "OLD_IMAGES")) else None
    images = [image for image in (change.keys, new, old) if image is not None]
    event = f"{found.arn}/{change.position}".encode()
    return Record(
        event_id=blake2b(event, digest_size=16).hexdigest(),
        event_name=change.kind,
        event_version="1.1",
        event_source="aws:dynamodb",
        aws_region=session.settings.region,
        dynamodb=StreamRecord(
            keys=change.keys,
            sequence_number=sequence_number(change.position),
            size_bytes=sum(map(item_size, images)),
            stream_view_type=view,
            approximate_creation_date_time=float(floor(change.when)),
            new_image=new,
            old_image=old,
        ),
        user_identity=_EXPIRED if change.expired else None,
    )


def newest_position(session: Session) -> int:
    """Return the position of the last change; read it before the stream."""
    return feed_bounds(session.execute)[1]


def shard_numbers(session: Session, shard: ShardRange) -> tuple[str, str | None]:
    """Return the first sequence number that can be read, and the last if the shard is closed."""
    start = number_after(trim_horizon(session, shard))
    return start, None if shard.end is None else max(start, sequence_number(shard.end))
