"""Stale reads, from lagging in-memory replicas of tables.

Rule 1. A replica contains every change to its table up to its position, and none after it.
Rule 2. I/O comes first, without a lock. Moving a replica and reading from it is one step under the
        lock; it starts over if another thread moved the replica out of the fetched window.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from threading import Lock
from typing import TypeVar, cast

from dynamodb_engine import operations as ops
from dynamodb_engine.engine import Engine, Retention, Settings
from dynamodb_engine.errors import (
    EngineError,
    FaultsError,
    OperationError,
    ResourceNotFound,
    StorageError,
    TrimmedDataAccess,
    ValidationError,
)
from dynamodb_engine.faults.batches import merge_get_outputs, split_get
from dynamodb_engine.faults.config import Faults
from dynamodb_engine.faults.targets import TargetPart
from dynamodb_engine.operations.arn import TableArns, parse_arn
from dynamodb_engine.retry import send_once
from dynamodb_engine.steps import Steps
from dynamodb_engine.values import Item

R = TypeVar("R")

_FIRST_WINDOW = 64


def describe_tables(names: Iterable[str]) -> Steps[dict[str, ops.TableDescription]]:
    """Return the descriptions of those tables that exist, by name."""
    tables: dict[str, ops.TableDescription] = {}
    for name in dict.fromkeys(names):
        try:
            tables[name] = (yield from send_once(ops.DescribeTable(name))).table
        except OperationError:
            # A missing table is reported by the request itself.
            continue
    return tables


def create_request(table: ops.TableDescription) -> ops.CreateTable:
    """Return the request that creates a table with the same keys and indexes, on demand."""
    local_indexes = [
        ops.LocalSecondaryIndex(index.index_name, index.key_schema, index.projection)
        for index in table.local_secondary_indexes or ()
    ]
    global_indexes = [
        ops.GlobalSecondaryIndex(index.index_name, index.key_schema, index.projection)
        for index in table.global_secondary_indexes or ()
    ]
    schemas = [
        table.key_schema,
        *(index.key_schema for index in local_indexes),
        *(index.key_schema for index in global_indexes),
    ]
    used = {part.attribute_name for schema in schemas for part in schema}
    return ops.CreateTable(
        table.table_name,
        # CreateTable rejects definitions of attributes that are not in a key.
        [
            definition
            for definition in table.attribute_definitions
            if definition.attribute_name in used
        ],
        table.key_schema,
        local_secondary_indexes=local_indexes or None,
        global_secondary_indexes=global_indexes or None,
        billing_mode="PAY_PER_REQUEST",
    )


# The change feed


@dataclass(frozen=True, slots=True)
class ChangeWindow:
    """All changes to a table after position `start`, up to and including `end`."""

    start: int
    end: int
    changes: tuple[ops.ChangeRecord, ...]


class ChangeFeed:
    """The change feed of the wrapped driver, which is named in errors."""

    def __init__(self, driver: str) -> None:
        self._driver = driver

    def end(self) -> Steps[int]:
        """Return the position of the newest change."""
        return (yield from self._read(ops.ReadChanges(None))).position

    def changes_after(self, table: str, start: int) -> Steps[ChangeWindow]:
        """Return all changes to a table after a position."""
        changes: list[ops.ChangeRecord] = []
        position = start
        while True:
            output = yield from self._read(ops.ReadChanges(position, table))
            changes += output.changes
            position = output.position
            if len(output.changes) < ops.ReadChanges(position).limit:
                return ChangeWindow(start, position, tuple(changes))

    def last_changes(
        self, table: str, is_enough: Callable[[ChangeWindow], bool], reach: int
    ) -> Steps[ChangeWindow]:
        """Return the latest changes to a table: back to `reach`, and further until `is_enough`.

        If the feed was trimmed, return as many as it still has.
        """
        newest = yield from self.end()
        window = ChangeWindow(newest, newest, ())
        size = max(_FIRST_WINDOW, newest - reach)
        while True:
            start = max(0, newest - size)
            try:
                window = yield from self.changes_after(table, start)
            except TrimmedDataAccess:
                return (yield from self._widest_window(table, start, window))
            if start == 0 or is_enough(window):
                return window
            size *= 8

    def _widest_window(self, table: str, trimmed: int, window: ChangeWindow) -> Steps[ChangeWindow]:
        """Find the oldest readable position between `trimmed` and `window` by bisection."""
        while window.start - trimmed > 1:
            middle = (trimmed + window.start) // 2
            try:
                window = yield from self.changes_after(table, middle)
            except TrimmedDataAccess:
                trimmed = middle
        return window

    def _read(self, request: ops.ReadChanges) -> Steps[ops.ReadChangesOutput]:
        try:
            return (yield from send_once(request))
        except StorageError:
            raise
        except EngineError as error:
            if isinstance(error, OperationError) and error.code != "UnknownOperationException":
                raise
            raise FaultsError(
                f"Stale reads need ReadChanges, which {self._driver} does not support. Wrap a "
                "driver that supports it, such as the embedded engine, or do not inject stale."
            ) from error


# Replicas


class Replica:
    """A copy of a table as of a position of the change feed."""

    def __init__(self, table_id: str, table: ops.CreateTable, arns: TableArns) -> None:
        self.identity = (table_id, table, arns)
        self.name = table.table_name
        self.position = 0
        # Resolve an ARN as the driver does.
        settings = Settings(arns.region, arns.account, retention=Retention(records=1))
        self.engine = Engine.in_memory(settings)
        self.engine.execute(table)

    def is_within(self, window: ChangeWindow) -> bool:
        """Return whether the window has all changes between the replica and the window's end."""
        return window.start <= self.position <= window.end

    def move(self, window: ChangeWindow, lag: int) -> None:
        """Apply or undo changes until exactly the last `lag` changes of the window are missing."""
        count = max(0, len(window.changes) - lag)
        for change in reversed(window.changes[count:]):
            if change.position <= self.position:
                self._apply(change.keys, change.old)
        for change in window.changes[:count]:
            if change.position > self.position:
                self._apply(change.keys, change.new)
        self.position = window.changes[count - 1].position if count else window.start

    def catch_up(self, window: ChangeWindow) -> None:
        """Apply every change of the window, including those that are applied already."""
        for change in window.changes:
            self._apply(change.keys, change.new)
        self.position = window.end

    def put(self, item: Item) -> None:
        """Store an item."""
        try:
            self.engine.execute(ops.PutItem(self.name, item))
        except ValidationError as error:
            # The item is older than an index whose keys it does not match.
            raise FaultsError(
                f"Stale reads of '{self.name}' need a copy of the table, and the copy cannot "
                f"contain one of its items: {error}. Do not inject stale into this table."
            ) from error

    def _apply(self, key: Item, item: Item | None) -> None:
        if item is None:
            self.engine.execute(ops.DeleteItem(self.name, key))
        else:
            self.put(item)


class Replicas:
    """The lagging replicas of a driver's tables; safe to use from many threads."""

    def __init__(self, driver: str) -> None:
        self._feed = ChangeFeed(driver)
        self._replicas: dict[str, Replica] = {}
        self._lock = Lock()

    def clear(self) -> None:
        """Drop all replicas."""
        with self._lock:
            self._replicas.clear()

    def read_stale(
        self, operation: ops.Operation[R], parts: tuple[TargetPart, ...], faults: Faults, now: float
    ) -> Steps[R]:
        """Read the given parts from a past state, and the others from the driver."""
        tables = yield from describe_tables(part.table for part in parts)
        parts = tuple(part for part in parts if _is_readable(part, tables.get(part.table)))
        if not parts:
            return (yield from send_once(operation))
        lag = _lag(faults, now)
        if not isinstance(operation, ops.BatchGetItem):
            try:
                return (yield from self._read(operation, tables[parts[0].table], lag))
            except ResourceNotFound:
                # The table was deleted while its replica was being moved.
                return (yield from send_once(operation))
        outputs: list[ops.BatchGetItemOutput] = []
        rest, _ = split_get(operation, {part.position for part in parts})
        if rest.request_items:
            outputs.append((yield from send_once(rest)))
        for name in dict.fromkeys(part.table for part in parts):
            _, stale = split_get(operation, {p.position for p in parts if p.table == name})
            outputs.append((yield from self._read(stale, tables[name], lag)))
        return cast(R, merge_get_outputs(outputs))  # R is BatchGetItemOutput here

    def _read(
        self,
        operation: ops.Operation[R],
        table: ops.TableDescription,
        lag: Callable[[ChangeWindow], int | None],
    ) -> Steps[R]:
        """Execute a read as of `lag` changes ago; `lag` returns None if it needs more changes."""
        name = table.table_name
        arn = parse_arn(table.table_arn)
        arns = Settings().arns if arn is None else TableArns(arn.region, arn.account)
        identity = (table.table_id, create_request(table), arns)
        while True:
            replica = self._replicas.get(name)
            if replica is None or replica.identity != identity:
                replica = yield from self._fill(Replica(*identity))
            window = yield from self._feed.last_changes(
                name, lambda seen: lag(seen) is not None, replica.position
            )
            with self._lock:
                if self._replicas.get(name) is not replica:
                    continue
                if replica.is_within(window):
                    missing = lag(window)
                    self._move(replica, window, len(window.changes) if missing is None else missing)
                    return replica.engine.execute(operation)
                if window.start > replica.position:
                    # The feed was trimmed beyond the replica's position.
                    del self._replicas[name]

    def _move(self, replica: Replica, window: ChangeWindow, lag: int) -> None:
        try:
            replica.move(window, lag)
        except BaseException:
            # A partly moved replica is not a state the table ever had.
            del self._replicas[replica.name]
            raise

    def _fill(self, replica: Replica) -> Steps[Replica]:
        """Copy the table into a new replica, and share it."""
        start = yield from self._feed.end()
        scan = ops.Scan(replica.name, consistent_read=True)
        while True:
            page = yield from send_once(scan)
            for item in page.items:
                replica.put(item)
            if page.last_evaluated_key is None:
                break
            scan = ops.Scan(
                replica.name, exclusive_start_key=page.last_evaluated_key, consistent_read=True
            )
        # Pages show different states; applying all changes since the first page repairs that.
        replica.catch_up((yield from self._feed.changes_after(replica.name, start)))
        with self._lock:
            self._replicas[replica.name] = replica
        return replica


def _lag(faults: Faults, now: float) -> Callable[[ChangeWindow], int | None]:
    """Return a function that counts the unseen changes; None if the window is too small."""
    behind = faults.behind if faults.behind or faults.delay else 1
    visible_until = now - faults.delay

    def lag(window: ChangeWindow) -> int | None:
        recent = sum(1 for change in window.changes if change.when > visible_until)
        if len(window.changes) < behind or (faults.delay and recent == len(window.changes)):
            return None
        return max(behind, recent)

    return lag


def _is_readable(part: TargetPart, table: ops.TableDescription | None) -> bool:
    """Return whether table and index are active; otherwise the driver rejects the request."""
    if table is None or table.table_status in ("CREATING", "DELETING"):
        return False
    indexes = table.global_secondary_indexes or ()
    return not [i for i in indexes if i.index_name == part.index and i.index_status != "ACTIVE"]
