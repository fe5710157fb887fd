"""Follow the streams of a table: read its shards, parents before children, and decode changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from math import ceil
from typing import Any, TypedDict, cast
from uuid import uuid4

from dynamodb_engine import operations as ops
from dynamodb_engine.retry import send
from dynamodb_engine.steps import Pause, Steps
from singletable.errors import ExpiredIterator, InvalidValue, ItemMismatch, TrimmedDataAccess
from singletable.schema import Table
from singletable.schema.codec.times import in_utc
from singletable.store.changes import Change, from_stream
from singletable.store.context import Context
from singletable.store.decoder import OnMismatch
from singletable.store.options import check_options
from singletable.store.stream_checkpoints import WORKER, Checkpoints, ShardState
from singletable.store.validation import check_callback, check_count, models_of

# DynamoDB may return empty pages before the end of a shard: the end is reached after some of them.
_EMPTY_ROUNDS = 3
_KEPT, _HEARTBEAT = 24 * 3600, 3600  # seconds


class StreamOptions(TypedDict, total=False):
    """The options of `stream`.

    With `checkpoints`, a table with two string keys, the consumer called `name` continues where it
    stopped, and several workers share its shards. `worker` is the name of this one: after a crash,
    a worker with the same name continues at once, and others after `lease` seconds (60). The work
    on a `page` of changes (100) must not take longer than half of that. `since` skips older
    changes. Without `follow`, the stream ends when everything has been read; with it, which is the
    default, it waits `poll` seconds (1) for more. With `on_mismatch`, changes whose items do not
    fit are reported to this function and skipped.
    """

    name: str
    checkpoints: Table | None
    worker: str
    since: datetime | None
    follow: bool
    page: int
    lease: float
    poll: float
    on_mismatch: OnMismatch | None


@dataclass(frozen=True, slots=True)
class ShardPlace:
    """A shard of a stream, and the shards to read before it."""

    arn: str
    id: str
    before: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Return the name of its checkpoint."""
        return f"{self.arn.rpartition('/')[2]}#{self.id}"


class ShardReader:
    """Reads the shards of a table's streams, and remembers where it reads on."""

    _advice = ""

    def __init__(self, context: Context, table: str, page: int) -> None:
        self._context = context
        self._table = table
        self._page = page
        self._iterators: dict[str, tuple[str | None, str]] = {}  # by name: after, and iterator

    def get_records(
        self, shard: ShardPlace, after: str | None, caught_up: float
    ) -> Steps[ops.GetRecordsOutput]:
        """Return records after a sequence number; raise TrimmedDataAccess if some are lost.

        `caught_up` is the time up to which the records of the shard were read.
        """
        policy = self._context.retry_policy
        known_after, iterator = self._iterators.get(shard.name, (None, ""))
        if iterator and known_after == after:
            try:
                page = ops.GetRecords(iterator, self._page)
                known: ops.GetRecordsOutput = yield from send(policy, page)
                return known
            except (ExpiredIterator, TrimmedDataAccess):
                pass
        try:
            return (yield from self._start(shard, after))
        except TrimmedDataAccess as error:
            if self._context.clock().timestamp() - caught_up > _KEPT:
                raise self.lost() from error
        # All records since then are still there.
        return (yield from self._start(shard, None))

    def read_on(self, shard: ShardPlace, after: str | None, iterator: str | None) -> None:
        """Remember the iterator that returns the records after a sequence number."""
        if iterator is not None:
            self._iterators[shard.name] = after, iterator

    def _start(self, shard: ShardPlace, after: str | None) -> Steps[ops.GetRecordsOutput]:
        policy = self._context.retry_policy
        start = ops.GetShardIterator(shard.arn, shard.id, "AFTER_SEQUENCE_NUMBER", after)
        if after is None:
            start = ops.GetShardIterator(shard.arn, shard.id, "TRIM_HORIZON")
        first: ops.GetShardIteratorOutput = yield from send(policy, start)
        output: ops.GetRecordsOutput = yield from send(
            policy, ops.GetRecords(first.shard_iterator, self._page)
        )
        return output

    def lost(self) -> TrimmedDataAccess:
        """Return the error for records that are gone before they were read."""
        return TrimmedDataAccess(
            f"This consumer is more than a day behind, so changes of '{self._table}' are lost."
            + self._advice
        )

    def parents(self, arn: str, since: float = 0) -> Steps[dict[str, str | None] | None]:
        """Return the shards of a stream, each with its parent.

        None for a stream of a former table, and for one that was disabled and lacks images.
        """
        parents: dict[str, str | None] = {}
        last = None
        while True:
            request = ops.DescribeStream(arn, exclusive_start_shard_id=last)
            output: ops.DescribeStreamOutput = yield from send(self._context.retry_policy, request)
            stream = output.stream_description
            has_images = stream.stream_view_type == "NEW_AND_OLD_IMAGES"
            is_useless = not has_images and stream.stream_status in ("DISABLING", "DISABLED")
            if is_useless or stream.creation_request_date_time < since - 0.001:
                return None
            parents |= {shard.shard_id: shard.parent_shard_id for shard in stream.shards}
            last = stream.last_evaluated_shard_id
            if last is None:
                return parents


class StreamReader(ShardReader):
    """Reads the changes of some entities page by page.

    A page is checkpointed when the next one is requested: until then it may be delivered again.
    """

    _advice = " To go on with the oldest change that is left, delete its checkpoints."

    def __init__(
        self, context: Context, entities: Sequence[type[Any]], options: StreamOptions
    ) -> None:
        _check_options(options)
        self._models = models_of(entities)
        tables = {model.table for model in self._models}
        if len(tables) != 1:
            raise InvalidValue(
                "stream(…): expected entities of one table, but got entities of "
                f"{', '.join(sorted(repr(table.name) for table in tables))}. Follow each table."
            )
        super().__init__(context, context.table_name(tables.pop()), options.get("page", 100))
        since = options.get("since")
        self._since = 0 if since is None else int(in_utc(since).timestamp())
        self._follow = options.get("follow", True)
        self._poll = options.get("poll", 1.0)
        self._on_mismatch = options.get("on_mismatch")
        self._checkpoints = Checkpoints(
            context,
            options.get("checkpoints"),
            options.get("name", ""),
            options.get("worker") or uuid4().hex,
            options.get("lease", 60.0),
        )
        self._shards: list[ShardPlace] = []
        self._unsaved: tuple[str, ShardState] | None = None
        self._round = 0
        self._is_stale = True
        self._fresh_until = 0.0  # a worker that is never idle must learn of new ones, too

    def next_page(self, limit: int | None = None) -> Steps[list[Change[Any]]]:
        """Return the next changes, of one shard; nothing at the end."""
        if self._unsaved is not None:
            yield from self._save(*self._unsaved)
            self._unsaved = None
        empty = 0
        while True:
            if self._is_stale or self._checkpoints.now > self._fresh_until:
                yield from self._refresh()
            is_idle = True
            for shard in self._readable():
                page = yield from self._read(shard)
                if page:
                    self._shards.sort(key=lambda each: each is shard)  # the others are next
                    return page
                is_idle = is_idle and page is None
            self._is_stale = True
            self._round += 1
            empty = empty + 1 if is_idle else 0
            if empty >= _EMPTY_ROUNDS and not self._follow:
                yield from self._release_all()
                return []
            if is_idle and self._follow:
                yield Pause(self._poll)

    def _read(self, shard: ShardPlace) -> Steps[list[Change[Any]] | None]:
        """Return changes; an empty list if there may be more; None at the end for now."""
        state, name = self._checkpoints.state(shard.name), shard.name
        output = yield from self.get_records(shard, state.after, state.caught_up)
        now = self._checkpoints.now
        records, changes, problems = self._decode(shard, output.records)
        following, is_at_end = output.next_shard_iterator, not output.records
        if len(records) < len(output.records):
            following = ""  # not an iterator: the next page starts after `last`
        last, read_to = state.after, now
        if records:
            newest = records[-1].dynamodb
            last, read_to = newest.sequence_number, newest.approximate_creation_date_time
        new = replace(state, after=last, ended=following is None, caught_up=read_to)
        if not (changes or problems):
            is_due = last is not None and read_to - state.caught_up > _HEARTBEAT
            self.read_on(shard, last if is_due else state.after, following)
            if is_due or new.ended:
                yield from self._take_and_save(name, state, new)
            return None if is_at_end and not new.ended else []
        if not (yield from self._take(name, state)):
            return []
        for problem in problems:
            cast(OnMismatch, self._on_mismatch)(problem)
        self.read_on(shard, last, following)
        if changes:
            self._unsaved = name, new
        else:
            yield from self._save(name, new)
        return changes

    def _decode(
        self, shard: ShardPlace, records: Sequence[ops.Record]
    ) -> tuple[Sequence[ops.Record], list[Change[Any]], list[ItemMismatch]]:
        """Return the records to pass, their changes, and the errors of those that do not fit.

        Without `on_mismatch`, the records end before the first one that does not fit. That one is
        an error if it comes first, so that the changes before it are delivered.
        """
        changes: list[Change[Any]] = []
        problems: list[ItemMismatch] = []
        for number, record in enumerate(records):
            if record.dynamodb.approximate_creation_date_time < self._since:
                continue
            try:
                changes += from_stream(record, self._models, shard.id)
            except ItemMismatch as error:
                if self._on_mismatch is None:
                    if not changes:
                        raise
                    return records[:number], changes, []
                problems.append(error)
        return records, changes, problems

    def _take(self, name: str, state: ShardState) -> Steps[bool]:
        """Take the lease; return False if another worker has it, or has read on."""
        if self._checkpoints.is_held(name):
            return True
        taken = yield from self._checkpoints.take(name)
        current = self._checkpoints.state(name)
        if taken and (current.after, current.ended) == (state.after, state.ended):
            return True
        self._iterators.pop(name, None)
        self._is_stale = True
        return False

    def _take_and_save(self, name: str, state: ShardState, new: ShardState) -> Steps[None]:
        if (yield from self._take(name, state)):
            yield from self._save(name, new)

    def _save(self, name: str, state: ShardState) -> Steps[None]:
        saved = yield from self._checkpoints.save(name, state)
        if not saved or state.ended:
            self._iterators.pop(name, None)
            self._is_stale = True

    def _readable(self) -> list[ShardPlace]:
        """Return shards with all shards before them ended, no more than this worker's share."""
        checkpoints = self._checkpoints
        ready = [
            shard
            for shard in self._shards
            if not checkpoints.state(shard.name).ended
            and all(checkpoints.state(name).ended for name in shard.before)
        ]
        free = [shard for shard in ready if not checkpoints.is_taken(shard.name)]
        own = [each for each in free if checkpoints.state(each.name).owner == checkpoints.worker]
        others = [shard for shard in free if shard not in own]
        share = ceil(len(ready) / checkpoints.workers())
        # Nobody has the lease of a shard without changes: so that all are read, they take turns.
        start = self._round * share % len(others) if others else 0
        return [*own, *others[start:], *others[:start]][:share]

    def _refresh(self) -> Steps[None]:
        """List the shards of the table's streams, disabled ones too, and load the checkpoints."""
        self._is_stale = False
        self._fresh_until = self._checkpoints.now + self._checkpoints.lease / 2
        policy = self._context.retry_policy
        described: ops.DescribeTableOutput = yield from send(policy, ops.DescribeTable(self._table))
        listed: ops.ListStreamsOutput = yield from send(policy, ops.ListStreams(self._table))
        arns = sorted(
            (s.stream_arn for s in listed.streams), key=lambda arn: arn.rpartition("/")[2]
        )
        parents: dict[str, dict[str, str | None]] = {}
        for arn in [*arns]:
            shards = yield from self.parents(arn, described.table.creation_date_time)
            if shards is None:
                arns.remove(arn)
            else:
                parents[arn] = shards
        if not arns:
            raise self._no_stream()
        names = {(arn, id_): ShardPlace(arn, id_).name for arn in arns for id_ in parents[arn]}
        earlier = {arns[0]: list[str]()}
        for before, arn in pairwise(arns):
            earlier[arn] = [*earlier[before], *(names[before, id_] for id_ in parents[before])]
        self._shards = [
            ShardPlace(arn, id_, (*earlier[arn], *_known(names, arn, parent)))
            for arn in arns
            for id_, parent in parents[arn].items()
        ]
        yield from self._checkpoints.load()
        yield from self._tidy({shard.name for shard in self._shards})

    def _no_stream(self) -> InvalidValue:
        return InvalidValue(
            f"stream(…): table '{self._table}' has no stream. Enable one with the view type "
            "NEW_AND_OLD_IMAGES: UpdateTable(stream_specification=…), or for a new table "
            "TableSettings(stream=…) or --stream of 'table create'."
        )

    def _tidy(self, shards: set[str]) -> Steps[None]:
        """Release leases beyond this worker's share, and forget shards and workers of the past."""
        checkpoints, now = self._checkpoints, self._checkpoints.now
        share = {shard.name for shard in self._readable()}
        for name, state in list(checkpoints.states.items()):
            if name.startswith(WORKER):
                if state.until < now - _KEPT:
                    yield from checkpoints.forget(name)
            elif name not in shards:
                if not state.ended and now - state.caught_up > _KEPT:
                    raise self.lost()
                yield from checkpoints.forget(name)
            elif name not in share and not state.ended and checkpoints.has_lease(name):
                yield from checkpoints.release(name)

    def _release_all(self) -> Steps[None]:
        """End the leases of this worker, so that others need not wait."""
        for name in [
            name for name in self._checkpoints.states if self._checkpoints.has_lease(name)
        ]:
            if name.startswith(WORKER):
                yield from self._checkpoints.forget(name)
            else:
                yield from self._checkpoints.release(name)


def _known(names: Mapping[tuple[str, str], str], arn: str, parent: str | None) -> list[str]:
    return [names[arn, parent]] if parent is not None and (arn, parent) in names else []


def _check_options(options: StreamOptions) -> None:
    check_options("stream", StreamOptions, options)
    check_callback("on_mismatch", options.get("on_mismatch"))
    check_count("page", options.get("page", 100))
    if options.get("checkpoints") is not None and not options.get("name"):
        raise InvalidValue(
            "stream(…): name the consumer: its checkpoints are stored under this name."
        )
    if options.get("name") and options.get("checkpoints") is None:
        raise InvalidValue(
            "stream(name=…): pass checkpoints=…, the table in which the consumer remembers what it "
            "has read. Without one, every run begins with the oldest change."
        )
