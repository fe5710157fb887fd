"""A database on a SQL server, shared by many processes: connections, reads, and writes in groups.

Rule 1. Requests that write wait in one queue. A thread that has a connection runs all that wait as
        one transaction (`transaction.py`), so that concurrent writers share round trips and the
        server's wait for its disk.
Rule 2. A write is acknowledged after COMMIT. If the connection is lost before COMMIT was sent, the
        group runs again on another one; if it is lost during COMMIT, the outcome is unknown.
Rule 3. The server may roll a transaction back because of a conflict. The group runs again, a few
        times; after that its writes raise TransactionConflict.
Rule 4. A lock that another session keeps for a second delays nobody else: the group gives it up and
        commits what it can lock. What is left waits beside the queue, with later writes of the same
        items, and after some seconds raises ServiceUnavailable, which says who has the lock.
Rule 5. Tables are known from a cached catalog. A write verifies the versions of its tables under a
        lock; a read notices that a table is gone, and a request that does not find one looks again.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence, Set
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Protocol, TypeAlias, TypeVar, cast

from msgspec import Struct

from dynamodb_engine.engine.storage.interface import Execute, RowKey
from dynamodb_engine.engine.storage.server.clock import ServerClock
from dynamodb_engine.engine.storage.server.dialect import (
    FORMAT,
    IDLE_LIMIT,
    ChangeValues,
    Dialect,
    ResultRows,
)
from dynamodb_engine.engine.storage.server.transaction import (
    Transaction,
    TransactionExpired,
    lock_hash,
)
from dynamodb_engine.errors import (
    EngineClosed,
    EngineError,
    InternalError,
    ServiceUnavailable,
    StorageError,
    TransactionConflict,
)

_logger = logging.getLogger(__name__)
T = TypeVar("T")
# The tables and keys that a write locks: table number, name of the rows, and key.
Places = Iterable[tuple[int, str, RowKey]]
# A table, by number, or a key.
Lock: TypeAlias = "int | tuple[str, RowKey]"
# Runs statements outside of a transaction, on a connection of their own, without retries.
RunOnce: TypeAlias = Callable[[Callable[[Execute], None]], None]

_ATTEMPTS = 8
# Items that a group writes: each takes a lock, and PostgreSQL has a few thousand by default.
_GROUP = 100
_WAIT = 10.0  # seconds to wait for a connection
# Seconds that a write waits for a lock, which is longer than a frozen process keeps it; and those
# between two attempts to get it.
_BLOCKED_WAIT, _BLOCKED_PAUSE = 2.0 * IDLE_LIMIT, 0.1
# Stands for the lock on the catalog, among the numbers of tables.
_CATALOG = -1


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

    def describe(self, number: int) -> str:
        """Return the name of a table, for an error."""
        ...


class ServerWrite(Struct, eq=False):
    """A write in the queue. Without `places`, it changes tables and runs alone.

    `blocked` has the tables and keys that it waits for, among the `locks` that it needs.
    """

    work: Callable[[Execute], Any]
    places: Callable[[Execute], Places] | None
    weight: int
    until: float  # when it is rejected instead of run (again)
    future: Future[Any]
    locks: list[tuple[int, str, RowKey]] = []
    blocked: frozenset[Lock] = frozenset()

    @property
    def tables(self) -> frozenset[int]:
        """Return the numbers of the tables that it writes."""
        return frozenset(number for number, _, _ in self.locks if number)

    def meets(self, locks: Set[Lock]) -> frozenset[Lock]:
        """Return the locks that it needs among some."""
        if self.places is None:
            return frozenset({_CATALOG} & locks)
        needed = {lock for number, name, key in self.locks for lock in (number, (name, key))}
        return frozenset(needed & locks)

    @classmethod
    def create(
        cls,
        work: Callable[[Execute], Any],
        places: Callable[[Execute], Places] | None,
        weight: int,
        until: float,
    ) -> ServerWrite:
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
        self.clock = ServerClock(dialect.name)

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
                if self.clock.is_due:
                    self._measure(connection)
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
            connection = self.dialect.connect(self._address)
            self._measure(connection)
            return connection
        except self.dialect.errors as error:
            raise ServiceUnavailable(
                f"{self.dialect.name} cannot be reached: {_reason(error)}. Nothing was changed."
            ) from error

    def _measure(self, connection: Any) -> None:
        statement = f"SELECT {self.dialect.now}", ()
        self.clock.measure(lambda: float(self.dialect.run(connection, [statement])[0][0][0]))

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
        self._pending: deque[ServerWrite] = deque()
        self._taking = threading.Lock()
        # A write that creates a table uses two connections.
        self._lanes = threading.BoundedSemaphore(min(lanes, connections // 2))
        self._threads = ThreadPoolExecutor(connections, "singletable-server")
        self._writers = ThreadPoolExecutor(lanes, "singletable-writer")
        self._waiter = ThreadPoolExecutor(1, "singletable-waiter")
        # Writes that wait for locks of other sessions, and these locks.
        self._waiting: deque[ServerWrite] = deque()
        self._blocked: frozenset[Lock] = frozenset()
        self._changing_blocked = threading.Lock()
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

    @property
    def clock(self) -> ServerClock:
        """The clock of the server."""
        return self._pool.clock

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
        failure = self._unavailable()
        for _ in self._attempts():
            try:
                return self._read_from(self._pool, work)
            except self.dialect.errors as error:
                kind = self.dialect.classify(error)
                if kind == "missing":
                    self.reload()
                elif kind == "blocked":
                    failure = self._locked(f"A table is locked ({_reason(error)})")
                elif kind not in ("lost", "conflict"):
                    raise _storage_error(error) from error
        raise failure

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
                if self.dialect.classify(error) not in ("lost", "conflict", "blocked"):
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
        pending = ServerWrite.create(work, places, weight, self._until())
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
        pending = ServerWrite.create(work, places, weight, self._until())
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
        """Run the queued writes, unless enough threads already do."""
        if not self._lanes.acquire(blocking=False):
            return
        try:
            if group := self._take():
                self._run_group(group)
        finally:
            self._lanes.release()
        self._go_on()

    def _go_on(self) -> None:
        """Have the writes run that came while all lanes were in use."""
        if self._pending:
            try:
                self._writers.submit(self._run_pending)
            except RuntimeError:  # the engine is being closed, so nobody else would run them
                self._run_pending()

    def _take(self) -> list[ServerWrite]:
        """Take the writes that wait from the queue; one that changes tables is alone."""
        group: list[ServerWrite] = []
        room = _GROUP
        with self._taking:
            while self._pending and (not group or self._pending[0].weight <= room):
                if group and None in (group[0].places, self._pending[0].places):
                    break
                group.append(self._pending.popleft())
                room -= group[-1].weight
        return group

    def _run_group(self, group: list[ServerWrite], *, wait: bool = True) -> None:
        """Run the group; without `wait`, leave out the writes that need locks of others."""
        try:
            self._try_group(group, wait=wait)
        except BaseException as error:
            failure = error if isinstance(error, Exception) else _interrupted(error)
            for pending in group:
                if not pending.future.done():
                    pending.future.set_exception(failure)
            if failure is not error:
                raise

    def _try_group(self, group: list[ServerWrite], *, wait: bool) -> None:
        """Run the group until it commits, a few times at most."""
        run = self._run_alone if group[0].places is None else self._run_once
        failure: EngineError = self._unavailable()
        for _ in self._attempts(group[0].until if wait else None):
            try:
                if run(group, wait=wait):
                    return None
            except ServiceUnavailable as error:
                failure = error
            except TransactionExpired:
                failure = _expired()
            except self.dialect.errors as error:
                kind = self.dialect.classify(error)
                if kind == "blocked":
                    return self._split(group, wait=wait)
                if kind == "missing":
                    self.reload()
                elif kind not in ("conflict", "lost"):
                    raise _storage_error(error) from error
                elif kind == "conflict":
                    failure = TransactionConflict("Transaction is ongoing for the item")
                    failure.__cause__ = error
        raise failure

    def _split(self, group: list[ServerWrite], *, wait: bool) -> None:
        """Run the writes of a group that are not blocked, and let the others wait."""
        if wait and group[0].places is not None:
            self._run_group(group, wait=False)
            return
        # All keys were free, so a whole table or the counter of the feed is locked.
        parts: dict[frozenset[int], list[ServerWrite]] = {}
        for pending in group:
            parts.setdefault(pending.tables, []).append(pending)
        for tables, part in parts.items():
            if len(parts) > 1:
                self._run_group(part, wait=False)
                continue
            for pending in part:
                self._let_wait(pending, tables or frozenset([_CATALOG]))

    def _run_once(self, group: list[ServerWrite], *, wait: bool) -> bool:
        """Run the group in one transaction; return False if the catalog was out of date.

        The writes that must wait are removed from the group.
        """
        with self._pool.connection() as connection:
            transaction = Transaction(self.dialect, connection, self.catalog.fork())
            execute = cast(Execute, transaction)
            for pending in group:
                pending.locks = [*(pending.places or _no_places)(execute)]
            if not wait:
                blocked: Set[Lock] = transaction.lock_free(*_numbers_and_keys(group))
            else:
                blocked = self._blocked
            if blocked and not self._leave_out(group, blocked):
                transaction.roll_back()
                return True
            numbers, keys = _numbers_and_keys(group)
            versions = transaction.begin(numbers, keys)
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

    def _run_alone(self, group: list[ServerWrite], *, wait: bool) -> bool:
        """Run one write that changes tables: nobody else changes any meanwhile."""
        if wait and self._blocked and not self._leave_out(group, self._blocked):
            return True
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

    def _leave_out(self, group: list[ServerWrite], blocked: Set[Lock]) -> bool:
        """Let the writes of a group wait that need blocked locks; return whether any is left."""
        for pending in [*group]:
            if met := pending.meets(blocked):
                group.remove(pending)
                self._let_wait(pending, met)
        return bool(group)

    def _let_wait(self, pending: ServerWrite, blocked: frozenset[Lock]) -> None:
        """Add a write to those that wait for locks of other sessions."""
        if not pending.blocked:
            pending.until = min(pending.until, time.monotonic() + _BLOCKED_WAIT)
        pending.blocked = blocked
        with self._changing_blocked:
            is_first = not self._waiting and not self._blocked
            self._waiting.append(pending)
            self._blocked |= blocked
        if is_first:
            try:
                self._waiter.submit(self._run_waiting)
            except RuntimeError:  # the engine is being closed
                self._run_waiting()

    def _run_waiting(self) -> None:
        """Run the writes that wait for locks whenever these are free, until none is left."""
        is_logged = False
        while self._blocked:
            time.sleep(_BLOCKED_PAUSE)
            with self._changing_blocked:
                waiting, self._waiting = [*self._waiting], deque()
            with self._lanes:
                for group in _groups(waiting):
                    self._run_group(group, wait=False)
            self._go_on()
            if not is_logged and self._waiting:
                is_logged = True
                what = self._describe_block(self._waiting[0])
                _logger.warning("%s. Its writes wait, and all others go on.", what)
            now = time.monotonic()
            with self._changing_blocked:
                late = [pending for pending in self._waiting if pending.until <= now]
                self._waiting = deque(p for p in self._waiting if p.until > now)
                self._blocked = frozenset[Lock]().union(*(p.blocked for p in self._waiting))
            for pending in late:
                pending.future.set_exception(self._locked(self._describe_block(pending)))

    def _locked(self, what: str) -> ServiceUnavailable:
        """Return the error of a request that another session blocks."""
        return ServiceUnavailable(
            f"{what}. This request has waited for it in vain, and nothing was changed. Send it "
            "again. If it stays locked, end the transaction of that session."
        )

    def _describe_block(self, pending: ServerWrite) -> str:
        """Return what is locked and, if the server says so, by whom."""
        who = ""
        with suppress(EngineError, *self.dialect.errors):
            who = self._describe_holder(pending)
        return (
            f"{self._describe_locks(pending)} is locked by another session of {self.dialect.name}"
            f"{f' ({who})' if who else ''}"
        )

    def _describe_locks(self, pending: ServerWrite) -> str:
        for place, (number, name, key) in enumerate(pending.locks, 1):
            if not pending.blocked.isdisjoint((number, (name, key))):
                table = self.catalog.describe(number)
                if number in pending.blocked:
                    return f"The whole of {table}"
                which = "The item" if len(pending.locks) == 1 else f"Item {place} of the request"
                return f"{which} in {table}"
        return "The list of tables"

    def _describe_holder(self, pending: ServerWrite) -> str:
        numbers = {number for number in pending.blocked if isinstance(number, int)}
        keys = [lock for lock in pending.blocked if not isinstance(lock, int)]
        names = {name for _, name, _ in pending.locks}
        hashes = map(lock_hash, keys)
        statement = self.dialect.holder({max(n, 0) for n in numbers}, names, hashes)
        with self._pool.connection() as connection:
            (rows,) = self.dialect.run(connection, [statement])
        for number, application, user, host, state, since in rows:
            parts = [f"process {number}", application and f"'{application}'", user, host, state]
            return ", ".join(filter(None, [*parts, since and f"since {since} UTC"]))
        return ""

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
        group: list[ServerWrite],
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
            is_expected = isinstance(error, (EngineError, *self.dialect.errors))
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
                suppress(*self.dialect.errors, EngineError),
                self._pool.connection() as connection,
            ):
                for name in names:
                    self.dialect.run(connection, [(f"DROP TABLE IF EXISTS {name} CASCADE", ())])

    def close(self) -> None:
        """Finish the writes in progress and close the connections."""
        self._threads.shutdown()
        self._writers.shutdown()
        self._waiter.shutdown()
        self._pool.close()
        if self._replica is not None:
            self._replica.close()


def _nothing(changes: Sequence[ChangeValues], run: RunOnce) -> None:
    """Do nothing after a commit."""


def _no_places(execute: Execute) -> Places:
    return ()


def _numbers_and_keys(group: list[ServerWrite]) -> tuple[set[int], list[tuple[str, RowKey]]]:
    """Return the tables that a group writes, and the keys that it locks."""
    locks = [lock for pending in group for lock in pending.locks]
    return {number for number, _, _ in locks if number}, [(name, key) for _, name, key in locks]


def _groups(writes: list[ServerWrite]) -> Iterator[list[ServerWrite]]:
    """Yield the writes in groups; one that changes tables is alone."""
    group: list[ServerWrite] = []
    for pending in writes:
        weight = sum(p.weight for p in group) + pending.weight
        if group and (weight > _GROUP or None in (group[0].places, pending.places)):
            yield group
            group = []
        group.append(pending)
    if group:
        yield group


def _expired() -> ServiceUnavailable:
    return ServiceUnavailable(
        f"This process did not get to commit within {IDLE_LIMIT} seconds, several times: it is "
        "overloaded, or was suspended. Nothing was changed."
    )


def _run(transaction: Transaction, pending: ServerWrite) -> tuple[Any, BaseException | None]:
    """Run one write; return its result, or take it back and return its error."""
    mark = transaction.mark()
    try:
        return pending.work(cast(Execute, transaction)), None
    except transaction.dialect.errors:
        raise
    except Exception as error:
        transaction.undo(mark)
        return None, error


def _resolve(group: list[ServerWrite], outcomes: list[tuple[Any, BaseException | None]]) -> None:
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


def _storage_error(error: Exception) -> EngineError:
    return StorageError(f"The database could not be used: {_reason(error)}. Nothing was changed.")
