"""The driver: an operation goes to its handler, a write through the grouped commit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TypeVar, cast

from msgspec import DecodeError

from singletable.engine.catalog import Catalog, Session
from singletable.engine.constraints import check_constraints
from singletable.engine.handlers import HANDLERS, Handler
from singletable.engine.settings import Settings
from singletable.engine.storage import Database, Execute
from singletable.errors import SingleTableError, StorageError, ValidationError
from singletable.operations import (
    CreateTable,
    DeleteTable,
    Operation,
    SweepExpired,
    UpdateTable,
    UpdateTimeToLive,
)
from singletable.values import lone_surrogate_error

R = TypeVar("R")

# Writes that may go through a whole table, which an event loop would not wait for.
_LONG = frozenset([CreateTable, UpdateTable, DeleteTable, SweepExpired, UpdateTimeToLive])


class Engine:
    """DynamoDB in this process; safe to use from many threads."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self.settings = settings
        self._database = database
        self._catalog = Catalog()
        database.set_listener(self._catalog)
        try:
            database.read(self._catalog.load)
        except DecodeError as error:
            database.close()
            raise _damaged(error) from error
        except BaseException:
            database.close()
            raise

    @classmethod
    def in_memory(cls, settings: Settings | None = None) -> Engine:
        """An engine whose tables are gone when it is closed."""
        return cls(Database(None), settings or Settings())

    @classmethod
    def on_file(cls, path: str | Path, settings: Settings | None = None) -> Engine:
        """An engine whose tables are kept in a file."""
        settings = settings or Settings()
        return cls(Database(Path(path), durable=settings.durable), settings)

    def copy(self, settings: Settings | None = None) -> Engine:
        """A new engine in memory that holds what this one holds now; the two go apart from here.

        It costs less than to make the tables again, which tests do often.
        """
        return Engine(
            Database(None, contents=self._database.serialize()), settings or self.settings
        )

    def execute(self, operation: Operation[R], /) -> R:
        """The answer; an OperationError if the request is refused, and then nothing was changed."""
        handler, work = self._work(operation)
        return self._database.write(work) if handler.writes else self._database.read(work)

    async def execute_async(self, operation: Operation[R]) -> R:
        """The same on an event loop, which goes on with other things while the disk is at work."""
        handler, work = self._work(operation)
        if not handler.writes:
            return self._database.read(work)
        if self._database.path is None:
            return self._database.write(work)
        if type(operation) in _LONG:
            return await asyncio.to_thread(self._database.write, work)
        return await self._database.write_async(work)

    def _work(self, operation: Operation[R]) -> tuple[Handler, Callable[[Execute], R]]:
        """What is to be done in the database, checked as far as it can be without it."""
        handler = HANDLERS.get(type(operation))
        if handler is None:
            raise SingleTableError(
                f"An engine executes operations such as PutItem, not {type(operation).__name__}."
            )
        check_constraints(operation)
        try:
            plan = handler.check(operation)
        except ValidationError as error:
            raise handler.validator.refusal(error, operation) from None

        def work(execute: Execute) -> R:
            try:
                return cast(R, handler.run(plan, self._session(execute, writes=handler.writes)))
            except UnicodeEncodeError as error:
                raise lone_surrogate_error(error) from None
            except DecodeError as error:
                raise _damaged(error) from error

        return handler, work

    def close(self) -> None:
        """Finish what is under way and let go of the file. Closing twice is fine."""
        self._database.close()

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _session(self, execute: Execute, *, writes: bool) -> Session:
        tables = self._catalog.draft if writes else self._catalog.tables
        return Session(execute, self._catalog, tables, self.settings, self.settings.clock())


def _damaged(error: DecodeError) -> StorageError:
    return StorageError(
        f"What the database holds cannot be read: {error}. The file is damaged; use a copy of it."
    )


class AsyncEngine:
    """The same engine for an event loop, which never waits for the disk."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    async def execute(self, operation: Operation[R], /) -> R:
        """The answer; an OperationError if the request is refused, and then nothing was changed."""
        return await self.engine.execute_async(operation)

    async def aclose(self) -> None:
        """Finish what is under way and let go of the file."""
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
