"""A database on a SQL server, shared by many processes: connections, reads, and writes in groups.

Rule 1. Requests that write wait in one queue. A thread that has a connection runs all that wait as
        one transaction (`transaction.py`), so that concurrent writers share round trips and the
        server's wait for its disk.
Rule 2. A write is acknowledged after COMMIT. If the connection is lost before COMMIT was sent, the
        group runs again on another one; if it is lost during COMMIT, the outcome is unknown.
Rule 3. The server may roll a transaction back because of a conflict. The group runs again, a few
        times; after that its writes raise TransactionConflict.
Rule 4. Tables are known from a cached catalog. A write verifies the versions of its tables under a
        lock; a read notices that a table is gone, and a request that does not find one looks again.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Protocol, TypeAlias, TypeVar, cast

from msgspec import Struct

from singletable.engine.storage.interface import Execute, RowKey
from singletable.engine.storage.server.dialect import (
    FORMAT,
    ChangeValues,
    Dialect,
    ResultRows,
)
from singletable.engine.storage.server.transaction import Transaction
from singletable.errors import (
    EngineClosed,
    InternalError,
    ServiceUnavailable,
    SingleTableError,
    StorageError,
    TransactionConflict,
)

_logger = logging.getLogger(__name__)
T = TypeVar("T")
# The tables and keys that a write locks: table number, name of the rows, and key.
Places = Iterable[tuple[int, str, RowKey]]
# Runs statements outside of a transaction, on a connection of their own, without retries.
RunOnce: TypeAlias = Callable[[Callable[[Execute], None]], None]

_ATTEMPTS = 8
# Items that a group writes: each takes a lock, and PostgreSQL has a few thousand by default.
_GROUP = 100
_WAIT = 10.0  # seconds to wait for a connection


class ServerCatalog(Protocol):
    """What the storage needs of the engine's catalog."""

    def fork(self) -> ServerCatalog:
        """Return a copy for one transaction."""
        ...

    def load(self, execute: Execute) -> None:
        """Read all tables."""
        ...

    def is_current(self, numbers: Iterable[int], versions: dict[int, int]) -> bool:
        """Return whether the tables with these numbers have these versions."""
        ...

    def publish(self, committed: Any) -> None:
        """Take over the tables of a committed transaction."""
        ...


class PendingWrite(Struct, eq=False):
    """A write in the queue. Without `places`, it changes tables and runs alone."""

    work: Callable[[Execute], Any]
    places: Callable[[Execute], Places] | None
    weight: int
    until: float  # when it is rejected instead of run (again)
    future: Future[Any]

    @classmethod
    def create(
        cls,
        work: Callable[[Execute], Any],
        places: Callable[[Execute], Places] | None,
        weight: int,
        until: float,
    ) -> PendingWrite:
        """Create a write that is not canceled: it may be running, with others in one group."""
        future = Future[Any]()
        future.set_running_or_notify_cancel()
        return cls(work, places, weight, until, future)


class Pool:
    """Connections to one server, each used by one thread at a time."""

    def __init__(self, dialect: Dialect, address: str, size: int) -> None:
        self.dialect = dialect
        self._address = address
        self._idle: deque[Any] = deque()
        self._free = threading.BoundedSemaphore(size)
        self._closed = False
        self._process = os.getpid()

    @contextmanager
    def connection(self) -> Generator[Any]:
        """Lend a connection; it is closed instead of reused after an error of the server."""
        if not self._free.acquire(timeout=_WAIT):
            raise ServiceUnavailable(
                f"All connections to {self.dialect.name} were in use for {_WAIT:g} seconds. "
                "Nothing was changed. Allow more with ?connections= in the address."
            )
        try:
            if self._closed:
                raise EngineClosed("The engine is closed. Open it again with connect().")
            if self._process != os.getpid():
                raise StorageError(
                    "The engine was opened before this process was forked, and connections cannot "
                    "be shared with a forked process. Fork before you open the engine."
                )
            try:
                connection = self._idle.pop()
            except IndexError:
                connection = self._connect()
            try:
                yield connection
            except self.dialect.errors:
                self.dialect.close(connection)
                # The other idle connections are probably as old and as broken as this one.
                self._close_idle()
                raise
            except BaseException:
                self.dialect.close(connection)
                raise
            self._idle.append(connection)
            if self._closed:
                self._close_idle()
        finally:
            self._free.release()

    def _connect(self) -> Any:
        try:
            return self.dialect.connect(self._address)
        except self.dialect.errors as error:
            raise ServiceUnavailable(
                f"{self.dialect.name} cannot be reached: {_reason(error)}. Nothing was changed."
            ) from error

    def _close_idle(self) -> None:
        while self._idle:
            self.dialect.close(self._idle.pop())

    def close(self) -> None:
        """Close the connections; those in use when they are returned."""
        self._closed = True
        self._close_idle()


class ServerDatabase:
    """A database on a server. `lanes` transactions that write run at a time in this process."""

    path = None

    def __init__(
        self,
        dialect: Dialect,
        address: str,
        *,
        connections: int = 16,
        replica: str | None = None,
        lanes: int = 2,
    ) -> None:
        self.dialect = dialect
        self._pool = Pool(dialect, address, connections)
        self._replica = None if replica is None else Pool(dialect, replica, connections)
        self._replica_failed_until = 0.0
        self._pending: deque[PendingWrite] = deque()
        self._taking = threading.Lock()
        # A write that creates a table uses two connections.
        self._lanes = threading.BoundedSemaphore(min(lanes, connections // 2))
        self._threads = ThreadPoolExecutor(connections, "singletable-server")
        self._writers = ThreadPoolExecutor(lanes, "singletable-writer")
        self.catalog: ServerCatalog
        # Maintains the feed after a commit, which it cannot undo or fail.
        self.after_commit: Callable[[Sequence[ChangeValues], RunOnce], object] = _nothing
        try:
            with self._pool.connection() as connection:
                dialect.check_server(connection)
                self._prepare(connection)
        except dialect.errors as error:
            raise StorageError(
                f"The database cannot be used: {_reason(error)}. Check the address and that the "
                "user may create tables in it."
            ) from error

    def _prepare(self, connection: Any) -> None:
        """Create the schema in an empty database; raise StorageError if its format is another."""
        if not self._formats(connection):
            self.dialect.run(connection, self.dialect.create_schema())
        found = self._formats(connection)
        if found != [(FORMAT,)]:
            raise StorageError(
                f"The database has format {found[0][0]}, but this release of singletable reads "
                f"format {FORMAT}. Use the release that wrote it."
            )

    def _formats(self, connection: Any) -> ResultRows:
        try:
            return self.dialect.run(connection, [("SELECT format FROM storage", ())])[0]
        except self.dialect.errors as error:
            if self.dialect.classify(error) == "missing":
                return []
            raise

    def read(self, work: Callable[[Execute], T], *, replica: bool = False) -> T:
        """Run `work` outside of a transaction; with `replica`, on a replica if there is one."""
        if replica and self._replica is not None and time.monotonic() > self._replica_failed_until:
            with suppress(ServiceUnavailable, *self.dialect.errors):
                return self._read_from(self._replica, work)
            self._replica_failed_until = self._until()
        for _ in self._attempts():
            try:
                return self._read_from(self._pool, work)
            except self.dialect.errors as error:
                kind = self.dialect.classify(error)
                if kind == "missing":
                    self.reload()
                elif kind not in ("lost", "conflict"):
                    raise _storage_error(error) from error
        raise self._unavailable()

    def _read_from(self, pool: Pool, work: Callable[[Execute], T]) -> T:
        with pool.connection() as connection:
            return work(cast(Execute, Transaction(self.dialect, connection, self.catalog)))

    def reload(self) -> None:
        """Read the catalog again."""
        for _ in self._attempts():
            try:
                with self._pool.connection() as connection:
                    return self._load_catalog(connection)
            except self.dialect.errors as error:
                if self.dialect.classify(error) not in ("lost", "conflict"):
                    raise _storage_error(error) from error
        raise self._unavailable()

    def _attempts(self, until: float | None = None) -> Iterator[int]:
        """Yield the number of each attempt, after a pause, as long as it is not too late."""
        until = self._until() if until is None else until
        for attempt in range(_ATTEMPTS):
            if time.monotonic() > until:
                return
            if attempt:
                time.sleep(0.005 * 2**attempt)
            yield attempt

    def _until(self) -> float:
        return time.monotonic() + self.dialect.timeout

    def _unavailable(self) -> ServiceUnavailable:
        return ServiceUnavailable(
            f"{self.dialect.name} lost the connection several times, or did not answer for "
            f"{self.dialect.timeout} seconds. Nothing was changed."
        )

    def _load_catalog(self, connection: Any) -> None:
        fork = self.catalog.fork()
        fork.load(cast(Execute, Transaction(self.dialect, connection, fork)))
        self.catalog.publish(fork)

    def write(
        self,
        work: Callable[[Execute], T],
        places: Callable[[Execute], Places] | None = None,
        weight: int = 1,
    ) -> T:
        """Run `work` in a transaction and return its result; if it raises, nothing was changed.

        `weight` is about the number of items that it writes.
        """
        pending = PendingWrite.create(work, places, weight, self._until())
        self._pending.append(pending)
        self._run_pending()
        return cast(T, pending.future.result())

    def submit(
        self,
        work: Callable[[Execute], T],
        places: Callable[[Execute], Places] | None = None,
        weight: int = 1,
    ) -> Future[T]:
        """Write like `write` in another thread."""
        pending = PendingWrite.create(work, places, weight, self._until())
        self._pending.append(pending)
        self._writers.submit(self._run_pending)
        return pending.future

    def in_thread(self, function: Callable[[], T]) -> Future[T]:
        """Call a function that waits for the server in another thread, unless it is too late."""
        until = self._until()

        def call() -> T:
            if time.monotonic() > until:
                raise self._unavailable()
            return function()

        return self._threads.submit(call)

    def _run_pending(self) -> None:
        """Run what waits, unless enough threads do that; they see to it that nothing is left."""
        if not self._lanes.acquire(blocking=False):
            return
        try:
            if group := self._take():
                self._run_group(group)
        finally:
            self._lanes.release()
        if self._pending:
            try:
                self._writers.submit(self._run_pending)
            except RuntimeError:  # the engine is being closed, so nobody else would run them
                self._run_pending()

    def _take(self) -> list[PendingWrite]:
        """Take the writes that wait from the queue; one that changes tables is alone."""
        group: list[PendingWrite] = []
        room = _GROUP
        with self._taking:
            while self._pending and (not group or self._pending[0].weight <= room):
                if group and None in (group[0].places, self._pending[0].places):
                    break
                group.append(self._pending.popleft())
                room -= group[-1].weight
        return group

    def _run_group(self, group: list[PendingWrite]) -> None:
        try:
            self._try_group(group)
        except BaseException as error:
            failure = error if isinstance(error, Exception) else _interrupted(error)
            for pending in group:
                if not pending.future.done():
                    pending.future.set_exception(failure)
            if failure is not error:
                raise

    def _try_group(self, group: list[PendingWrite]) -> None:
        """Run the group until it commits, a few times at most."""
        run = self._run_alone if group[0].places is None else self._run_once
        failure: SingleTableError = self._unavailable()
        for _ in self._attempts(group[0].until):
            try:
                if run(group):
                    return
            except ServiceUnavailable as error:
                failure = error
            except self.dialect.errors as error:
                kind = self.dialect.classify(error)
                if kind == "missing":
                    self.reload()
                elif kind not in ("conflict", "lost"):
                    raise _storage_error(error) from error
                elif kind == "conflict":
                    failure = TransactionConflict("Transaction is ongoing for the item")
                    failure.__cause__ = error
        raise failure

    def _run_once(self, group: list[PendingWrite]) -> bool:
        """Run the group in one transaction; return False if the catalog was out of date."""
        with self._pool.connection() as connection:
            transaction = Transaction(self.dialect, connection, self.catalog.fork())
            execute = cast(Execute, transaction)
            places: list[tuple[int, str, RowKey]] = []
            for pending in group:
                places += (pending.places or _no_places)(execute)
            numbers = {number for number, _, _ in places if number}
            versions = transaction.begin(numbers, ((name, key) for _, name, key in places))
            if not transaction.catalog.is_current(numbers, versions):
                transaction.roll_back()
                self._load_catalog(connection)
                return False
            outcomes = [_run(transaction, pending) for pending in group]
            if transaction.has_changes:
                self._commit(transaction)
            else:
                transaction.roll_back()
        self._finish(group, outcomes, transaction)
        return True

    def _run_alone(self, group: list[PendingWrite]) -> bool:
        """Run one write that changes tables: nobody else changes any meanwhile."""
        with self._pool.connection() as connection:
            catalog = self.catalog.fork()
            transaction = Transaction(self.dialect, connection, catalog)
            transaction.begin_alone()
            catalog.load(cast(Execute, transaction))
            (pending,) = group
            outcome = _run(transaction, pending)
            if outcome[1] is not None:
                transaction.roll_back()
            else:
                self._create(transaction.created)
                self._commit(transaction)
                self.catalog.publish(catalog)
        if outcome[1] is None:
            self._drop(transaction.dropped)
        self._finish(group, [outcome], transaction)
        return True

    def _commit(self, transaction: Transaction) -> None:
        """Commit; if the connection is lost from here on, the outcome is unknown."""
        try:
            transaction.commit()
        except self.dialect.errors as error:
            if self.dialect.classify(error) == "lost":
                raise InternalError(
                    f"The connection to {self.dialect.name} was lost during COMMIT: "
                    f"{_reason(error)}. The write may or may not have been applied."
                ) from error
            raise

    def _finish(
        self,
        group: list[PendingWrite],
        outcomes: list[tuple[Any, BaseException | None]],
        transaction: Transaction,
    ) -> None:
        """Answer the writes of a group that has committed, then maintain what they have changed.

        The writes are done, so a failure is logged.
        """
        _resolve(group, outcomes)
        try:
            self.after_commit(transaction.changes, partial(self._read_from, self._pool))
        except Exception as error:
            is_expected = isinstance(error, (SingleTableError, *self.dialect.errors))
            trace = None if is_expected else error
            _logger.warning("The change feed was not trimmed: %s.", _reason(error), exc_info=trace)

    def _create(self, names: list[str]) -> None:
        """Create tables of rows on another connection: on MariaDB, DDL commits a transaction."""
        if names:
            texts = [text.format(name=name) for name in names for text in self.dialect.create_rows]
            with self._pool.connection() as connection:
                self.dialect.run(connection, [(text, ()) for text in texts])

    def _drop(self, names: list[str]) -> None:
        """Drop tables of rows after the COMMIT; an error must not run the write again.

        What is left is dropped when an engine is opened.
        """
        if names:
            with (
                suppress(*self.dialect.errors, SingleTableError),
                self._pool.connection() as connection,
            ):
                for name in names:
                    self.dialect.run(connection, [(f"DROP TABLE IF EXISTS {name} CASCADE", ())])

    def close(self) -> None:
        """Finish the writes in progress and close the connections."""
        self._threads.shutdown()
        self._writers.shutdown()
        self._pool.close()
        if self._replica is not None:
            self._replica.close()


def _nothing(changes: Sequence[ChangeValues], run: RunOnce) -> None:
    """Do nothing after a commit."""


def _no_places(execute: Execute) -> Places:
    return ()


def _run(transaction: Transaction, pending: PendingWrite) -> tuple[Any, BaseException | None]:
    """Run one write; return its result, or take it back and return its error."""
    mark = transaction.mark()
    try:
        return pending.work(cast(Execute, transaction)), None
    except transaction.dialect.errors:
        raise
    except Exception as error:
        transaction.undo(mark)
        return None, error


def _resolve(group: list[PendingWrite], outcomes: list[tuple[Any, BaseException | None]]) -> None:
    for pending, (result, error) in zip(group, outcomes, strict=True):
        if error is None:
            pending.future.set_result(result)
        else:
            pending.future.set_exception(error)


def _interrupted(error: BaseException) -> InternalError:
    return InternalError(
        f"The thread that wrote was interrupted by {type(error).__name__}. The write may or may "
        "not have been applied."
    )


def _reason(error: BaseException) -> str:
    """Return the first line of an error of a driver; PyMySQL's has a number first."""
    text = str(error.args[-1] if error.args else error).strip() or type(error).__name__
    return text.splitlines()[0].rstrip(".")


def _storage_error(error: Exception) -> SingleTableError:
    return StorageError(f"The database could not be used: {_reason(error)}. Nothing was changed.")
