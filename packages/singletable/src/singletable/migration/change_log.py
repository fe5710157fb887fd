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

from singletable.errors import MigrationError, TrimmedDataAccess
from singletable.migration.state import is_state_item, state_key
from singletable.migration.two_addresses import place_beside, real_name
from singletable.operations import (
    DeleteRequest,
    DescribeTable,
    DescribeTableOutput,
    PutRequest,
    Record,
    WriteRequest,
)
from singletable.retry import send
from singletable.schema import Table
from singletable.schema.table import STATE_ATTRIBUTE
from singletable.steps import Pause, Steps
from singletable.store.batch import write_batches
from singletable.store.changes import DYNAMODB
from singletable.store.context import Context
from singletable.store.streams import ShardPlace, ShardReader
from singletable.store.writes import item_id
from singletable.values import Item

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
    """How far a shard was read, and when all of it had been read."""

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

    def read(self, position: StreamPosition, shard: ShardPlace) -> Steps[list[Record]]:
        """Return the next records of a shard, and move the position after them."""
        before = position.at(shard)
        output = yield from self.reader.get_records(shard, before.after, before.caught_up)
        after, is_at_end = before.after, not output.records
        if output.records:
            after = output.records[-1].dynamodb.sequence_number
        self.reader.read_on(shard, after, output.next_shard_iterator)
        position.shards[shard.id] = ShardPosition(
            after,
            ended=output.next_shard_iterator is None,
            caught_up=self.now if is_at_end else before.caught_up,
        )
        if output.next_shard_iterator is None:
            self._listed = 0.0
        return output.records

    def _list_shards(self) -> Steps[None]:
        described: DescribeTableOutput = yield from send(
            self.context.retry_policy, DescribeTable(self.name)
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


@dataclass
class _Page:
    """The records of one shard that were read, and where they begin."""

    stream: _TableStream
    shard: ShardPlace
    position: StreamPosition
    before: ShardPosition
    records: list[Record]

    @property
    def last(self) -> int:
        return _number(self.records[-1]) if self.records else -1

    def cut(self, upto: int) -> None:
        """Leave later records for the next read."""
        if self.last > upto:
            self.records = [record for record in self.records if _number(record) <= upto]
            after = self.before.after
            if self.records:
                after = self.records[-1].dynamodb.sequence_number
            self.position.shards[self.shard.id] = ShardPosition(
                after, caught_up=self.before.caught_up
            )


def _number(record: Record) -> int:
    return int(record.dynamodb.sequence_number)


class ChangeLog:
    """The changes of some tables, which have streams with old images and are on one side.

    Positions are texts. Without tables there are no changes.
    """

    def __init__(
        self, context: Context, tables: Sequence[Table], migration: str, page: int = PAGE
    ) -> None:
        self._context = context
        self._migration = migration
        self._page = page
        self._streams = [_TableStream(context, table, page) for table in tables]
        self._drain = ""
        # The shards that have returned a sentinel, and those that must.
        self._seen: set[tuple[str, str]] = set()
        self._open: set[tuple[str, str]] = set()
        # The keys of sentinels, by table: of this drain, and of those that were killed.
        self._written: dict[str, list[Item]] = {}
        self._left: dict[str, list[Item]] = {}
        self._looks = 0

    def read(self, position: str) -> Steps[ChangeBatch]:
        """Return the changes after a position; raise TrimmedDataAccess if they are gone."""
        positions = self._decode(position)
        pages: list[_Page] = []
        for stream in self._streams:
            at = positions[stream.name]
            for shard in (yield from stream.readable(at)):
                before = at.at(shard)
                records = yield from stream.read(at, shard)
                pages.append(_Page(stream, shard, at, before, records))
        yield from self._read_in_order(pages)
        self._open = {
            (stream.name, shard.id)
            for stream in self._streams
            for shard in stream.shards
            if not positions[stream.name].at(shard).ended
        }
        found = [(_number(record), page, record) for page in pages for record in page.records]
        found.sort(key=lambda one: one[0])
        changes = [
            change
            for _, page, record in found
            if (change := self._change(page, record)) is not None
        ]
        is_last = not found and not any(page.position.at(page.shard).ended for page in pages)
        return ChangeBatch(changes, msgspec.json.encode(positions).decode(), is_last)

    def _read_in_order(self, pages: Sequence[_Page]) -> Steps[None]:
        """Read on until the pages have every change before their last one, and drop later ones.

        The shards are read one after another: later ones may have newer changes, whose predecessors
        in the others are not read yet. Sequence numbers of our engine order all of them.
        """
        if len(pages) < 2 or not any(page.records for page in pages):
            return
        full = [page.last for page in pages if len(page.records) >= self._page]
        upto = min(full) if full else max(page.last for page in pages)
        for page in pages:
            if page.last < upto and not page.position.at(page.shard).ended:
                page.records += yield from page.stream.read(page.position, page.shard)
            page.cut(upto)

    def _change(self, page: _Page, record: Record) -> ChangedItem | None:
        """Return a change of an item of the application; note the sentinels."""
        data, identity = record.dynamodb, record.user_identity
        image = data.new_image or data.old_image or {}
        if is_state_item(image):
            if self._drain and image.get("drain") == {"S": self._drain}:
                self._seen.add((page.stream.name, page.shard.id))
            elif "drain" in image:  # of a process that was killed
                self._left.setdefault(page.stream.name, []).append(data.keys)
            return None
        expired = identity is not None and identity.principal_id == DYNAMODB
        return ChangedItem(page.stream.table, data.keys, data.old_image, data.new_image, expired)

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
        self._drain, self._looks, self._seen = uuid4().hex, 0, set()

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
        keys = self._written.setdefault(stream.name, [])
        new = [
            state_key(stream.table, self._migration, "drain", str(number))
            for number in range(len(keys), len(keys) + count)
        ]
        keys += new
        content: Item = {STATE_ATTRIBUTE: {"S": self._migration}, "drain": {"S": self._drain}}
        yield from write_batches(
            self._context,
            {
                item_id(stream.name, key): WriteRequest(PutRequest({**key, **content}))
                for key in new
            },
        )

    def end_drain(self) -> Steps[None]:
        """Delete the sentinels."""
        deletes = {
            item_id(name, key): WriteRequest(delete_request=DeleteRequest(key))
            for name, keys in (*self._written.items(), *self._left.items())
            for key in keys
        }
        self._drain, self._written, self._left = "", {}, {}
        yield from write_batches(self._context, deletes)
