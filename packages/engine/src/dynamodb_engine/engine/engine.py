"""The engine: a driver that executes operations on a SQLite database, in memory or on a file."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar, cast

from msgspec import DecodeError

from dynamodb_engine import operations as ops
from dynamodb_engine.cancellation import WriteFuture, finish
from dynamodb_engine.engine.catalog import Catalog, Session, Unfinished
from dynamodb_engine.engine.change_feed import last_change_time
from dynamodb_engine.engine.constraints import check_constraints
from dynamodb_engine.engine.control.describe import EMPTY, describe_table
from dynamodb_engine.engine.handlers import HANDLERS, Handler
from dynamodb_engine.engine.kinesis_sink import KinesisSink
from dynamodb_engine.engine.settings import ControlClock, Settings
from dynamodb_engine.engine.storage import (
    DamagedData,
    Database,
    Execute,
    SchemaChanged,
    SqliteLayout,
    is_disk_full,
)
from dynamodb_engine.errors import EngineError, StorageError, ValidationError
from dynamodb_engine.operations.touches import touches
from dynamodb_engine.values import lone_surrogate_error

R = TypeVar("R")
T = TypeVar("T")

# Raised for damaged data only; no request can cause these.
_DAMAGED = (DamagedData, DecodeError, UnicodeDecodeError)
# Two threads at most, so that long reads leave processor time to the event loop.
_long_reads = ThreadPoolExecutor(2, "singletable-read")
MAX_SHORT_TRANSACTION = 25  # actions
MAX_SHORT_EXPRESSION = 512  # characters
# Writes that may read a whole table, which would block an event loop.
_LONG_WRITES = frozenset(
    [ops.CreateTable, ops.UpdateTable, ops.DeleteTable, ops.SweepExpired, ops.UpdateTimeToLive]
)
# After these, a table does not know which changes its former Kinesis destination should get.
_FORGETS_CHANGES = frozenset([ops.DeleteTable, ops.EnableKinesisStreamingDestination])


class Engine:
    """DynamoDB in this process. Threads can share an engine."""

    is_embedded = True  # the database is in this process, too
    _sink: KinesisSink | None = None

    def __init__(self, database: Database, settings: Settings) -> None:
        self.settings = settings
        self._database = database
        self._path = database.path
        self._catalog = Catalog(SqliteLayout(in_memory=database.path is None))
        self._control_clock = ControlClock()
        database.set_listener(self._catalog)
        try:
            database.read(self._load)
            if (folder := settings.kinesis_folder) is not None:
                read = self._read_intact
                self._sink = KinesisSink(folder, settings.region, self._catalog, read)
        except _DAMAGED as error:
            database.close()
            raise _damaged(error, database.path, "The file cannot be opened") from error
        except BaseException:
            database.close()
            raise

    @classmethod
    def in_memory(cls, settings: Settings | None = None) -> Engine:
        """Open an engine in memory; its tables are lost when it is closed."""
        return cls(Database(None), settings or Settings())

    @classmethod
    def on_file(cls, path: str | Path, settings: Settings | None = None) -> Engine:
        """Open an engine on a file, which is created if it does not exist."""
        settings = settings or Settings()
        return cls(Database(Path(path), durable=settings.durable), settings)

    def copy(self, settings: Settings | None = None) -> Engine:
        """Return an independent engine in memory with the current tables and items of this one.

        This is faster than creating the tables again, for example for every test. The copy delivers
        nothing to Kinesis destinations, unless `settings` say so.
        """
        settings = settings or replace(self.settings, kinesis_folder=None)
        return Engine(Database(None, contents=self._database.serialize()), settings)

    def execute(self, operation: ops.Operation[R], /) -> R:
        """Execute an operation and return its output.

        If this raises an error without `outcome_unknown`, nothing was changed.
        """
        handler, _, work = self._work(operation)
        if not handler.writes:
            try:
                output = self._database.read_at_once(work, one_statement=handler.one_statement)
            except SchemaChanged:
                output = self._database.read_exclusively(work)
            if isinstance(output, Unfinished):
                return self._finish(cast("Unfinished[R]", output))
            return output
        try:
            return self._database.write(work)
        except StorageError as error:
            if not is_disk_full(error) or not _only_deletes(operation):
                raise
        return self._database.write_with_reserve(work)

    async def execute_async(self, operation: ops.Operation[R]) -> R:
        """Execute an operation without blocking the event loop while waiting for the disk."""
        handler, _, work = self._work(operation)
        if not handler.writes:
            try:
                output = self._database.read_at_once(work, one_statement=handler.one_statement)
            except SchemaChanged:
                # The writer may be busy for a long time, for example backfilling an index.
                output = await asyncio.to_thread(self._database.read_exclusively, work)
            if not isinstance(output, Unfinished):
                return output
            unfinished = cast("Unfinished[R]", output)
            if unfinished.is_long:
                loop = asyncio.get_running_loop()
                return await loop.run_in_executor(_long_reads, self._finish, unfinished)
            return self._finish(unfinished)
        if self._path is None:
            return self._database.write(work)
        try:
            if _is_long_write(operation):
                return await _in_thread(self._database.write, work)
            return await self._database.write_async(work)
        except StorageError as error:
            if not is_disk_full(error) or not _only_deletes(operation):
                raise
        return await _in_thread(self._database.write_with_reserve, work)

    def _work(self, operation: ops.Operation[R]) -> tuple[Handler, Any, Callable[[Execute], R]]:
        """Check the operation; return its handler, its plan and the work in the database."""
        handler = HANDLERS.get(type(operation))
        if handler is None:
            raise EngineError(
                f"An engine executes operations such as PutItem, not {type(operation).__name__}."
            )
        check_constraints(operation)
        try:
            plan = handler.check(operation)
        except ValidationError as error:
            raise handler.validator.format_error(error, operation) from None
        handler = handler.for_plan(plan)
        if self._sink is not None and type(operation) in _FORGETS_CHANGES:
            self._sink.deliver()

        def work(execute: Execute) -> R:
            try:
                output: R = handler.run(plan, self._session(execute, operation, handler))
                return output
            except UnicodeEncodeError as error:
                raise lone_surrogate_error(error) from None
            except _DAMAGED as error:
                raise _damaged(error, self._path) from error

        return handler, plan, work

    def _describe_uncounted(self, table_name: str) -> ops.TableDescription:
        work = self._uncounted_description(table_name)
        return self._database.read_at_once(work, one_statement=True)

    def _uncounted_description(self, table_name: str) -> Callable[[Execute], ops.TableDescription]:
        """Check the name, and return the work in the database, which executes no statement."""
        operation = ops.DescribeTable(table_name)
        check_constraints(operation)

        def work(execute: Execute) -> ops.TableDescription:
            session = self._session(execute, operation, HANDLERS[ops.DescribeTable])
            record = session.table_in_any_state(table_name).record
            return describe_table(record, EMPTY, session.settings, session.control_time)

        return work

    def _finish(self, output: Unfinished[R]) -> R:
        """Filter and project the rows of a read, and return its output."""
        try:
            return output.finish()
        except _DAMAGED as error:
            raise _damaged(error, self._path) from error

    def _read_intact(self, work: Callable[[Execute], R]) -> R:
        try:
            return self._database.read(work)
        except _DAMAGED as error:
            raise _damaged(error, self._path) from error

    def _load(self, execute: Execute) -> None:
        self._control_clock.advance(last_change_time(execute))
        time = self._control_clock.advance(self.settings.clock())
        # Creating an index takes two delays, every other change one.
        self._catalog.load(execute, time + 2 * max(astuple(self.settings.delays)))

    def close(self) -> None:
        """Finish the requests in progress and release the file. You can close an engine twice."""
        if self._sink is not None:
            self._sink.close()
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _session(
        self, execute: Execute, operation: ops.Operation[Any], handler: Handler
    ) -> Session:
        catalog, settings = self._catalog, self.settings
        tables = catalog.draft if handler.writes else catalog.tables
        now = settings.clock()
        control_time = self._control_clock.advance(now)
        command = self._database.command
        return Session(
            execute, command, catalog, tables, settings, now, control_time, type(operation)
        )


def _in_thread(write: Callable[[T], R], work: T) -> WriteFuture[R]:
    """Write in a thread."""
    return finish(asyncio.get_running_loop().run_in_executor(None, write, work))


def _only_deletes(operation: ops.Operation[object]) -> bool:
    """Return whether the operation can only free space."""
    if type(operation) in (ops.DeleteTable, ops.SweepExpired):
        return True
    accesses = {touch.access for touch in touches(operation)}
    return bool(accesses) and accesses <= {"delete", "check"}


def _damaged(
    error: Exception, path: Path | None, result: str = "Other items can still be read"
) -> StorageError:
    if isinstance(error, DamagedData):
        what = f"{error} was changed by another program or a failing disk"
    else:
        what = f"Stored data cannot be decoded: {error}"
    advice = "" if path is None else f" Find all damage with: dynamodb-engine check {path}"
    return StorageError(f"{what}. {result}.{advice}")


def _is_long_write(operation: ops.Operation[Any]) -> bool:
    """Return whether a write may take long enough to block an event loop.

    Transactions can contain many large items, and expressions many comparisons.
    """
    if isinstance(operation, ops.TransactWriteItems):
        return len(operation.transact_items) > MAX_SHORT_TRANSACTION
    if isinstance(operation, ops.ExecuteTransaction):
        return len(operation.transact_statements) > MAX_SHORT_TRANSACTION
    if isinstance(operation, ops.BatchExecuteStatement):
        return len(operation.statements) > MAX_SHORT_TRANSACTION
    condition: str = (
        getattr(operation, "condition_expression", None)
        or getattr(operation, "statement", None)
        or ""
    )
    update: str = getattr(operation, "update_expression", None) or ""
    return type(operation) in _LONG_WRITES or len(condition) + len(update) > MAX_SHORT_EXPRESSION


class AsyncEngine:
    """An engine for asyncio, which never blocks the event loop while waiting for the disk."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    @property
    def is_embedded(self) -> bool:
        """Whether the database is in this process, too."""
        return self.engine.is_embedded

    def prepare_large(self, operation: ops.Operation[object], /) -> ops.AsyncDriver:
        """Check the parameters; return a driver that executes the operation in a thread."""
        check_constraints(operation)
        return _ThreadedEngine(self.engine)

    async def execute(self, operation: ops.Operation[R], /) -> R:
        """Execute an operation and return its output.

        If this raises an error without `outcome_unknown`, nothing was changed. If its task is
        canceled, a write that is under way ends before the CancelledError.
        """
        return await self.engine.execute_async(operation)

    async def describe_uncounted(self, table_name: str) -> ops.TableDescription:
        """Describe a table without counting its items and index entries: all counts are 0."""
        if self.is_embedded:
            return self.engine._describe_uncounted(table_name)
        return await asyncio.to_thread(self.engine._describe_uncounted, table_name)

    async def aclose(self) -> None:
        """Finish the requests in progress and release the file."""
        await asyncio.to_thread(self.engine.close)

    async def __aenter__(self) -> AsyncEngine:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()


class _ThreadedEngine:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def execute(self, operation: ops.Operation[R], /) -> R:
        if HANDLERS[type(operation)].writes:
            return await _in_thread(self._engine.execute, operation)
        return await asyncio.to_thread(self._engine.execute, operation)
