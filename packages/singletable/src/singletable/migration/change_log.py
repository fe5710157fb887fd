"""What changed in tables since a position: their streams, so that a copy can be kept up to date.

DynamoDB does not say whether a stream has all changes yet. To find out, the log is drained: it
writes small items, sentinels, until every open shard of the stream has returned one of them. Within
a shard, changes come in order, so every change before the sentinel has been returned, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import uuid4

import msgspec

from dynamodb_engine import operations as ops
from dynamodb_engine.retry import send
from dynamodb_engine.steps import Pause, Steps
from dynamodb_engine.values import Item
from singletable.errors import MigrationError, TrimmedDataAccess
from singletable.migration.state import is_state_item, state_key
from singletable.migration.two_addresses import place_beside, real_name
from singletable.schema import Table
from singletable.schema.table import STATE_ATTRIBUTE
from singletable.store.batch import write_batches
from singletable.store.changes import DYNAMODB
from singletable.store.context import Context
from singletable.store.streams import ShardPlace, ShardReader
from singletable.store.writes import ItemId, item_id

PAGE = 1000
# How often a drain looks for its sentinels, at first without a pause: for about half a minute.
_MAX_LOOKS = 35
_MAX_PAUSE = 1.0
_MIN_SENTINELS = 4
# New shards follow from old ones that end. A stream that is disabled is noticed after this time.
_LISTED_SECONDS = 5.0
_HEARTBEAT = 3600.0
_KEPT = 24 * 3600.0


@dataclass(frozen=True, slots=True)
class ChangedItem:
    """An item that changed, with its images before and after as far as the log has them."""

    table: Table
    key: Item
    old: Item | None = None
    new: Item | None = None
    # Whether it was removed because it had expired.
    expired: bool = False


@dataclass(frozen=True, slots=True)
class ChangeBatch:
    """Changes in the order in which they happened; read on after `position`.

    `is_last` means that the log had no further changes when it was read.
    """

    changes: list[ChangedItem]
    position: str
    is_last: bool = True


class ShardPosition(msgspec.Struct, omit_defaults=True, frozen=True):
    """How far a shard was read, and the time up to which it had no other changes."""

    after: str | None = None
    ended: bool = False
    caught_up: float = 0


class StreamPosition(msgspec.Struct, omit_defaults=True):
    """How far the shards of a table's stream were read, by id."""

    label: str
    shards: dict[str, ShardPosition] = {}

    def at(self, shard: ShardPlace) -> ShardPosition:
        """Return how far a shard was read."""
        return self.shards.get(shard.id, ShardPosition())


_Positions = dict[str, StreamPosition]
_decode = msgspec.json.Decoder(_Positions).decode


@dataclass
class _TableStream:
    """The stream of one table."""

    context: Context
    table: Table
    page: int
    shards: list[ShardPlace] = field(default_factory=list[ShardPlace], init=False)
    reader: ShardReader = field(init=False)
    _label: str | None = field(default=None, init=False)
    _listed: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        self.name = self.context.table_name(self.table)
        self.reader = ShardReader(self.context, real_name(self.name), self.page)

    @property
    def now(self) -> float:
        return self.context.clock().timestamp()

    def start(self) -> Steps[StreamPosition]:
        """Return the position before the oldest change that is kept."""
        yield from self._list_shards()
        return StreamPosition(self._label or "")

    def readable(self, position: StreamPosition) -> Steps[list[ShardPlace]]:
        """Return the shards to read next; raise TrimmedDataAccess if changes are lost."""
        if not self.shards or self.now - self._listed > _LISTED_SECONDS:
            yield from self._list_shards()
        if position.label != self._label:
            raise TrimmedDataAccess(
                f"The stream of {real_name(self.name)!r} was disabled meanwhile, so changes may be "
                "missing in it."
            )
        ids = {shard.id for shard in self.shards}
        for id_ in [id_ for id_ in position.shards if id_ not in ids]:
            one = position.shards.pop(id_)
            if not one.ended and self.now - one.caught_up > _KEPT:
                raise self.reader.lost()
        return [
            shard
            for shard in self.shards
            if not position.at(shard).ended
            and all(position.shards.get(id_, ShardPosition()).ended for id_ in shard.before)
        ]

    def open_shards(self, position: StreamPosition) -> set[str]:
        """Return the ids of shards that may have more changes, in themselves or in children.

        A new stream, and a shard that has just ended, is listed without them for a moment.
        """
        parents = {parent for shard in self.shards for parent in shard.before}
        ids = {
            shard.id
            for shard in self.shards
            if not position.at(shard).ended or shard.id not in parents
        }
        return ids or {""}

    def read(self, position: StreamPosition, shard: ShardPlace) -> Steps[list[ops.Record]]:
        """Return the next records of a shard, and move the position after them."""
        before = position.at(shard)
        output = yield from self.reader.get_records(shard, before.after, before.caught_up)
        after, read_to, following = before.after, self.now, output.next_shard_iterator
        if output.records:
            last = output.records[-1].dynamodb
            after, read_to = last.sequence_number, last.approximate_creation_date_time
        self.reader.read_on(shard, after, following)
        position.shards[shard.id] = ShardPosition(after, following is None, read_to)
        if following is None:
            self._listed = 0.0  # it may have children
        return output.records

    def _list_shards(self) -> Steps[None]:
        described: ops.DescribeTableOutput = yield from send(
            self.context.retry_policy, ops.DescribeTable(self.name)
        )
        stream, arn = described.table.stream_specification, described.table.latest_stream_arn
        if stream is None or not stream.stream_enabled or arn is None:
            raise TrimmedDataAccess(f"The stream of {real_name(self.name)!r} is disabled.")
        arn = place_beside(self.name, arn)
        parents = (yield from self.reader.parents(arn)) or {}
        self.shards = [
            ShardPlace(arn, id_, (parent,) if parent in parents else ())
            for id_, parent in parents.items()
        ]
        self._label, self._listed = described.table.latest_stream_label, self.now


class ChangeLog:
    """The changes of some tables, which have streams with both images and are on one side.

    Positions are texts. Without tables there are no changes.
    """

    def __init__(
        self, context: Context, tables: Sequence[Table], migration: str, page: int = PAGE
    ) -> None:
        self._context = context
        self._migration = migration
        self._streams = [_TableStream(context, table, page) for table in tables]
        self._drain = ""
        # The shards that have returned a sentinel, and those that must.
        self._seen: set[tuple[str, str]] = set()
        self._open: set[tuple[str, str]] = set()
        # The sentinels to delete: of this drain, and of processes that were killed.
        self._sentinels: dict[ItemId, Item] = {}
        self._written = self._looks = 0

    def read(self, position: str) -> Steps[ChangeBatch]:
        """Return the changes after a position; raise TrimmedDataAccess if they are gone."""
        positions = self._decode(position)
        found: list[tuple[int, _TableStream, ops.Record]] = []
        is_last = True
        for stream in self._streams:
            at = positions[stream.name]
            for shard in (yield from stream.readable(at)):
                records = yield from stream.read(at, shard)
                found += [
                    (int(one.dynamodb.sequence_number), stream, one)
                    for one in records
                    if not self._is_own(stream, shard, one)
                ]
                is_last = is_last and len(records) < stream.page and not at.at(shard).ended
        self._open = {
            (stream.name, id_)
            for stream in self._streams
            for id_ in stream.open_shards(positions[stream.name])
        }
        found.sort(key=lambda one: one[0])  # on our engine, the order of all tables
        changes = [_change(stream.table, record) for _, stream, record in found]
        return ChangeBatch(changes, msgspec.json.encode(positions).decode(), is_last)

    def _is_own(self, stream: _TableStream, shard: ShardPlace, record: ops.Record) -> bool:
        """Return whether a record is about an item of a migration; note sentinels."""
        data = record.dynamodb
        image = data.new_image or data.old_image or {}
        if is_state_item(image) and "drain" in image:
            self._sentinels[item_id(stream.name, data.keys)] = data.keys
            if image["drain"] == {"S": self._drain}:
                self._seen.add((stream.name, shard.id))
        return is_state_item(image)

    def _decode(self, position: str) -> _Positions:
        try:
            positions = _decode(position)
        except msgspec.DecodeError:
            positions = {}
        if any(stream.name not in positions for stream in self._streams):
            raise TrimmedDataAccess("The position was stored by another version of singletable.")
        return positions

    def is_stale(self, position: str) -> bool:
        """Return whether a position is so old that it must be stored again before it is lost."""
        now = self._context.clock().timestamp()
        return any(
            not shard.ended and shard.after is not None and now - shard.caught_up > _HEARTBEAT
            for stream in self._decode(position).values()
            for shard in stream.shards.values()
        )

    # Reading to the end

    def end(self, position: str | None = None) -> Steps[str]:
        """Return the position after all changes up to now, those after `position` skipped."""
        if position is None:
            starts: _Positions = {}
            for stream in self._streams:
                starts[stream.name] = yield from stream.start()
            position = msgspec.json.encode(starts).decode()
        self.begin_drain()
        while True:
            batch = yield from self.read(position)
            position = batch.position
            if batch.is_last and (yield from self.is_drained()):
                yield from self.end_drain()
                return position

    def begin_drain(self) -> None:
        """Begin to wait for all changes up to now."""
        self._drain, self._looks, self._written, self._seen = uuid4().hex, 0, 0, set()

    def is_drained(self) -> Steps[bool]:
        """Return whether all changes before the drain were read; if not, write sentinels."""
        self._looks += 1
        if self._open <= self._seen:
            return True
        if self._looks > _MAX_LOOKS:
            names = ", ".join(sorted({real_name(name) for name, _ in self._open - self._seen}))
            raise MigrationError(
                f"The stream of {names} is more than half a minute behind the table, so it is not "
                "known whether all changes are carried over. Nothing was switched. Try again later."
            )
        if self._looks > 2:
            yield Pause(min(0.01 * 2**self._looks, _MAX_PAUSE), "progress")
        for stream in self._streams:
            missing = [one for one in self._open - self._seen if one[0] == stream.name]
            if missing:
                yield from self._write_sentinels(stream, max(_MIN_SENTINELS, 2 * len(missing)))
        return False

    def _write_sentinels(self, stream: _TableStream, count: int) -> Steps[None]:
        """Write items with different partition keys: each shard has a range of their hashes."""
        numbers = range(self._written, self._written + count)
        self._written += count
        content: Item = {STATE_ATTRIBUTE: {"S": self._migration}, "drain": {"S": self._drain}}
        requests: dict[ItemId, ops.WriteRequest] = {}
        for number in numbers:
            key = state_key(stream.table, self._migration, "drain", str(number))
            id_ = item_id(stream.name, key)
            self._sentinels[id_] = key
            requests[id_] = ops.WriteRequest(ops.PutRequest({**key, **content}))
        yield from write_batches(self._context, requests)

    def end_drain(self) -> Steps[None]:
        """Delete the sentinels."""
        sentinels, self._drain, self._sentinels = self._sentinels, "", {}
        yield from write_batches(
            self._context,
            {
                id_: ops.WriteRequest(delete_request=ops.DeleteRequest(key))
                for id_, key in sentinels.items()
            },
        )


def _change(table: Table, record: ops.Record) -> ChangedItem:
    data, identity = record.dynamodb, record.user_identity
    expired = identity is not None and identity.principal_id == DYNAMODB
    return ChangedItem(table, data.keys, data.old_image, data.new_image, expired)
