"""The streams of a table, as its record stores them, and their shards, which follow from that.

A stream is a view of the change feed: the changes of one table between two positions. Its shards
are a generation: each has a range of the hashes of partition keys. A new generation starts when the
stream has had many changes; each of its shards has one parent in the generation before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from zlib import crc32

from msgspec.structs import replace

from dynamodb_engine.engine.settings import StreamShards
from dynamodb_engine.engine.table_record import ShardGeneration, StoredStream, TableRecord
from dynamodb_engine.values import AttributeValue, key_bytes

RETENTION = 24 * 60 * 60
# Sequence numbers have 21 digits, so that they sort as text, too. The last is 0 for a change, and 1
# for what follows it: the start of a shard is not the number of a change.
_FIRST = 10**20
_SEQUENCE_NUMBER = re.compile(r"1[0-9]{20}")


class ShardRange(NamedTuple):
    """A shard: changes after `start`, up to `end`, of a part of the partition keys."""

    start: int
    end: int | None
    part: int  # the range of hashes, from 0 on
    parts: int
    parent: str | None

    @property
    def id(self) -> str:
        """Return the id; ids sort by the age of shards."""
        return _shard_id(self.start, self.part, self.parts)

    def contains(self, partition_key: AttributeValue) -> bool:
        """Return whether changes of items with this partition key are in the shard."""
        return crc32(key_bytes(partition_key)) * self.parts >> 32 == self.part


def _shard_id(start: int, part: int, parts: int) -> str:
    return f"shardId-{start:020d}-{part:04x}{parts:04x}"


def sequence_number(position: int) -> str:
    """Return the sequence number of the change at a position."""
    return str(_FIRST + position * 10)


def number_after(position: int) -> str:
    """Return a sequence number between that of a change and that of the next one."""
    return str(_FIRST + position * 10 + 1)


def parse_sequence_number(text: str) -> tuple[int, bool] | None:
    """Return the position of a change, and whether the number is between it and the next change.

    Return None for a text that is not a sequence number of this engine.
    """
    if _SEQUENCE_NUMBER.fullmatch(text) is None:
        return None
    position, rest = divmod(int(text) - _FIRST, 10)
    return position, rest > 0


def new_label(record: TableRecord, now: float) -> str:
    """Return the label of a stream enabled at `now`: the time, or the next that is free."""
    used = {stream.label for stream in record.streams} | {record.stream_label}
    enabled = datetime.fromtimestamp(now, UTC).replace(tzinfo=None)
    while (label := enabled.isoformat(timespec="milliseconds")) in used:
        enabled += timedelta(milliseconds=1)
    return label


def stored_streams(record: TableRecord) -> tuple[StoredStream, ...]:
    """Return the streams of a table, the newest last.

    Older releases stored only the label of the enabled stream: it has all changes of the table.
    """
    streams, label = record.streams, record.stream_label
    if record.stream is None or label is None or any(s.label == label for s in streams):
        return streams
    generation = ShardGeneration(0, record.created, 1)
    return (*streams, _new_stream(record, record.created, generation))


def readable_streams(record: TableRecord, now: float) -> tuple[StoredStream, ...]:
    """Return the streams that can be read: for a day after they were disabled."""
    return tuple(
        stream
        for stream in stored_streams(record)
        if stream.ended is None or stream.ended > now - RETENTION
    )


def open_stream(
    record: TableRecord, now: float, position: int, shards: StreamShards
) -> TableRecord:
    """Return the record with a new stream, of the changes after a position."""
    stream = _new_stream(record, now, ShardGeneration(position, now, shards.first))
    return replace(record, streams=(*readable_streams(replace(record, stream=None), now), stream))


def _new_stream(record: TableRecord, now: float, generation: ShardGeneration) -> StoredStream:
    return StoredStream(
        number=record.number,
        label=record.stream_label or "",
        view_type=(record.stream and record.stream.stream_view_type) or "NEW_AND_OLD_IMAGES",
        created=now,
        key_schema=record.key_schema,
        generations=(generation,),
    )


def close_stream(record: TableRecord, now: float, position: int) -> TableRecord:
    """Return the record with the enabled stream ended after a position, if there is one."""
    streams = [
        stream if stream.end is not None else replace(stream, end=position, ended=now)
        for stream in readable_streams(record, now)
    ]
    return replace(record, streams=tuple(streams))


def split_shards(
    record: TableRecord, now: float, position: int, shards: StreamShards
) -> TableRecord:
    """Return the record with new shards after a position: twice as many, or as many."""
    *others, stream = stored_streams(record)
    current = stream.generations[-1]
    count = current.shards * 2 if current.shards * 2 <= shards.most else current.shards
    kept = stream.generations[-1 - len(_readable_generations(stream, now)) :]
    generations = (*kept, ShardGeneration(position, now, count))
    return replace(record, streams=(*others, replace(stream, generations=generations)))


def list_shards(stream: StoredStream, now: float) -> list[ShardRange]:
    """Return the shards with changes of the last day, in the order of their ids."""
    generations = stream.generations
    first = len(generations) - len(_readable_generations(stream, now))
    shards: list[ShardRange] = []
    for place, generation in enumerate(generations[first:], first):
        before = generations[place - 1] if place else None
        is_last = place + 1 == len(generations)
        end = stream.end if is_last else generations[place + 1].start
        for part in range(generation.shards):
            parent = None
            if before is not None:
                wider = part * before.shards // generation.shards
                parent = _shard_id(before.start, wider, before.shards)
            shards.append(ShardRange(generation.start, end, part, generation.shards, parent))
    return shards


def _readable_generations(stream: StoredStream, now: float) -> tuple[ShardGeneration, ...]:
    """Return the generations that were open in the last day."""
    generations = stream.generations
    for place, later in enumerate(generations[1:]):
        if later.opened > now - RETENTION:
            return generations[place:]
    return generations[-1:]


def first_streamed(
    records: Iterable[TableRecord], now: float, *, to_kinesis: bool = False
) -> int | None:
    """Return the position after which some stream starts first, or None without streams.

    Enabled Kinesis destinations count if changes are delivered to them.
    """
    starts: list[int] = []
    for record in records:
        starts += [stream.generations[0].start for stream in readable_streams(record, now)]
        if to_kinesis:
            starts += [d.start for d in record.destinations if d.end is None and not d.failure]
    return min(starts, default=None)
