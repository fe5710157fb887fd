"""Write through one connection, with group commit.

Rule 1. The thread that holds the write lock runs every pending write and commits once for all of
        them. Concurrent writers share one wait for the disk (fsync), and a lone writer pays for
        one.
Rule 2. A write is acknowledged after the commit that contains it, never before.
Rule 3. An event loop runs its writes itself, because that only touches memory, and leaves the
        commit, which waits for the disk, to a thread. The thread wakes the loop once for the whole
        group. An event loop never waits for the write lock: releasing the lock wakes every loop
        that has pending writes.
Rule 4. The first transaction of every log gives the file a new id (`log_identity.py`).
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from functools import partial
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, Protocol, TypeVar, cast

import apsw
from msgspec import Struct

from dynamodb_engine.cancellation import WriteFuture
from dynamodb_engine.engine.storage.interface import Execute
from dynamodb_engine.engine.storage.sqlite.connection import bind_execute
from dynamodb_engine.engine.storage.sqlite.log_identity import RENEW_LOG_ID, Log
from dynamodb_engine.engine.storage.sqlite.page_checksums import describe_error
from dynamodb_engine.errors import EngineClosed, StorageError

T = TypeVar("T")


class CommitListener(Protocol):
    """In-memory state that is committed and rolled back together with the rows."""

    def snapshot(self) -> object:
        """Return the current state."""
        ...

    def restore(self, snapshot: object) -> None:
        """Go back to a state that `snapshot` returned."""
        ...

    def commit(self) -> None:
        """Make the current state permanent."""
        ...


class NullListener:
    """The listener of a database that has no in-memory state."""

    def snapshot(self) -> object:
        """Return nothing."""
        return None

    def restore(self, snapshot: object) -> None:
        """Do nothing."""

    def commit(self) -> None:
        """Do nothing."""


class PendingWrite(Struct, eq=False):
    """A write in the queue and, later, its result; `future` is set if an event loop awaits it."""

    work: Callable[[Execute], object]
    future: WriteFuture[object] | None = None
    done: bool = False
    result: object = None
    error: BaseException | None = None

    def outcome(self) -> Any:
        """Return the result, or raise the error."""
        if self.error is not None:
            try:
                raise self.error
            finally:
                self.error = None  # its traceback refers to this write
        if not self.done:
            # The thread was interrupted before it added the write to a group, or between the
            # commit and marking the write as done.
            error = StorageError(
                "The write was interrupted and may or may not have been applied. Read the item to "
                "find out."
            )
            error.outcome_unknown = True
            raise error
        return self.result

    def resolve(self) -> None:
        """Set the result or the error of the future. Call this on its event loop."""
        future, error = self.future, self.error
        # The traceback of the error refers to this write, so keeping it would be a cycle.
        self.future = self.error = None
        if future is None:
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(self.result)


class WriteGroup(Struct, eq=False):
    """Writes that share a transaction: each succeeds or fails alone, and all commit together.

    Until a write has succeeded, none needs a savepoint: if it fails, the whole transaction is
    rolled back, and nothing `needs_commit`. `before` is the state of the listener to restore.
    """

    writer: Writer
    before: object
    writes: list[PendingWrite] = []
    needs_commit: bool = False

    def run(self, write: PendingWrite) -> None:
        """Run the write and keep its result or error; raise if the whole group cannot continue."""
        self.writes.append(write)
        if self.needs_commit:
            self._run_in_savepoint(write)
            return
        log = self.writer.log
        starts_log = log is not None and log.may_end(self.writer.connection)
        self.writer.command("BEGIN IMMEDIATE")
        try:
            if starts_log:
                self.writer.command(RENEW_LOG_ID)
            write.result = write.work(self.writer.execute)
        except Exception as error:  # for the caller; an interrupt (BaseException) is not
            write.error = _wrap_sqlite_error(error)
            self._roll_back()
        else:
            self.needs_commit = True

    def _run_in_savepoint(self, write: PendingWrite) -> None:
        snapshot = self.writer.listener.snapshot()
        self.writer.command("SAVEPOINT request")
        try:
            write.result = write.work(self.writer.execute)
        except Exception as error:  # for the caller; the other writes continue
            if not self.writer.connection.in_transaction:
                raise  # SQLite rolled everything back, as it does when the disk is full
            write.error = _wrap_sqlite_error(error)
            self.writer.command("ROLLBACK TO request")
            self.writer.listener.restore(snapshot)
        self.writer.command("RELEASE request")

    def commit(self) -> None:
        """Commit the group; if that fails, every write gets the error."""
        if not self.needs_commit:
            self._mark_done()
            return
        try:
            self.writer.command("COMMIT")
        except apsw.Error as error:
            self.abort(error)
            return
        except BaseException as error:  # an interrupt, just before or just after the commit
            if self.writer.connection.in_transaction:
                self.abort(error)
            else:
                self._finish_commit()
            raise
        self._finish_commit()

    def _finish_commit(self) -> None:
        self.writer.listener.commit()
        self._mark_done()

    def abort(self, error: BaseException) -> None:
        """Undo the whole group and fail every write in it."""
        self.fail(_storage_error(error))
        self._roll_back()

    def fail(self, error: BaseException) -> None:
        """Give every write this error."""
        for write in self.writes:
            write.error = write.error or error
        self._mark_done()

    def _roll_back(self) -> None:
        self.needs_commit = False
        self.writer.listener.restore(self.before)
        if self.writer.connection.in_transaction:
            # If even this fails, the next turn tries again.
            with suppress(apsw.Error):
                self.writer.command("ROLLBACK")

    def _mark_done(self) -> None:
        for write in self.writes:
            write.done = True


def _wrap_sqlite_error(error: BaseException) -> BaseException:
    return _storage_error(error) if isinstance(error, apsw.Error) else error


def _storage_error(error: BaseException) -> StorageError:
    why = describe_error(error) if isinstance(error, Exception) else "it was interrupted"
    failed = StorageError(f"The database could not be written: {why}. Nothing was changed.")
    if isinstance(error, apsw.Error):
        # Its traceback refers to the write, which refers to this error: avoid the cycle.
        failed.__cause__ = error.with_traceback(None)
    return failed


def is_disk_full(error: StorageError) -> bool:
    """Return whether a write failed because the disk is full."""
    return isinstance(error.__cause__, apsw.FullError)


class Writer:
    """The one connection that writes. Threads and event loops queue writes in order of arrival."""

    def __init__(self, connection: apsw.Connection, *, has_log: bool) -> None:
        self.listener: CommitListener = NullListener()
        self.pending: deque[PendingWrite] = deque()
        self.connection = connection
        self.execute = bind_execute(connection)
        # For statements that return no rows: one cursor is faster than a new one for each.
        self.command = bind_execute(connection.cursor())
        self.log = Log(connection) if has_log else None
        self._lock = Lock()
        self._before: object = None
        self._closed = False
        self._loops: set[asyncio.AbstractEventLoop] = set()
        self._commits: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread: Thread | None = None

    def __del__(self) -> None:
        self._commits.put(None)

    def write(self, work: Callable[[Execute], T]) -> T:
        """Run `work`, commit, and return its result; if it raises, nothing was changed."""
        write = PendingWrite(work)
        self.pending.append(write)
        self._run_pending(unless_done=write)
        result: T = write.outcome()
        return result

    def write_async(self, work: Callable[[Execute], T]) -> asyncio.Future[T]:
        """Queue `work` on the running event loop; the future resolves after the commit."""
        loop = asyncio.get_running_loop()
        if loop not in self._loops:
            self._loops = {loop, *(known for known in self._loops if not known.is_closed())}
        future: WriteFuture[object] = WriteFuture(loop=loop)
        self.pending.append(PendingWrite(work, future))
        # call_soon: requests that arrived at the same time are queued first and share the commit.
        if not self._lock.locked():
            loop.call_soon(self._run_pending_on_loop)
        return cast("asyncio.Future[T]", future)

    def run_exclusively(self, work: Callable[[Execute], T]) -> T:
        """Run `work` while nobody writes, and return its result."""
        try:
            with self._lock:
                if self._closed:
                    raise _closed()
                if self.connection.in_transaction:
                    self._end_last_group()
                return work(self.execute)
        finally:
            if self._loops:
                self._wake_loops(None)

    def write_alone(self, work: Callable[[Execute], T], room: AbstractContextManager[None]) -> T:
        """Write like `write`, but in a group of its own and inside the context `room`."""
        write = PendingWrite(work)

        def run(execute: Execute) -> None:
            group = self._new_group()
            with room:
                try:
                    group.run(write)
                except BaseException as error:
                    group.abort(error)
                    if not isinstance(error, apsw.Error):
                        raise
                group.commit()

        self.run_exclusively(run)
        result: T = write.outcome()
        return result

    def close(self) -> None:
        """Run the pending writes and accept no more."""
        self._run_pending(last=True)
        if self._thread is not None:
            self._commits.put(None)
            self._thread.join()

    def _run_pending(self, unless_done: PendingWrite | None = None, *, last: bool = False) -> None:
        """Take the lock, then run and commit all pending writes unless this one is done by then."""
        group = None
        try:
            with self._lock:
                if unless_done is None or not unless_done.done:
                    group = self._new_group()
                    self._run_group(group)
                    group.commit()
                self._closed = self._closed or last
        finally:
            if self._loops:
                self._wake_loops(group)

    def _run_pending_on_loop(self) -> None:
        """Run all pending writes and commit in a thread, unless somebody else has the lock."""
        if not self.pending or not self._lock.acquire(blocking=False):
            return
        group = self._new_group()
        try:
            self._run_group(group)
        finally:
            if group.needs_commit:
                self._commit_in_thread(group)
            else:
                self._commit(group)

    def _commit_in_thread(self, group: WriteGroup) -> None:
        if self._thread is None:
            self._thread = Thread(target=_run_commits, args=[self._commits], daemon=True)
            self._thread.start()
        self._commits.put(partial(self._commit, group))

    def _run_group(self, group: WriteGroup) -> None:
        """Run all pending writes; if the group cannot continue, every write gets the error."""
        try:
            if self._closed:
                raise _closed()
            while self.pending:
                group.run(self.pending.popleft())
        except BaseException as error:
            while self.pending:
                group.writes.append(self.pending.popleft())
            if isinstance(error, EngineClosed):
                group.fail(error)
                return
            group.abort(error)
            if not isinstance(error, apsw.Error):
                raise

    def _commit(self, group: WriteGroup) -> None:
        """Commit and release the lock that an event loop took; in a thread if it needs the disk."""
        try:
            group.commit()
        finally:
            self._lock.release()
            self._wake_loops(group)

    def _wake_loops(self, group: WriteGroup | None) -> None:
        """Wake the event loops that have writes in the group, and all of them if writes wait."""
        finished: dict[asyncio.AbstractEventLoop, list[PendingWrite]] = {}
        if self.pending:
            finished = {loop: [] for loop in self._loops}
        for write in () if group is None else group.writes:
            if write.future is not None:
                finished.setdefault(write.future.get_loop(), []).append(write)
        for loop, writes in finished.items():
            with suppress(RuntimeError):  # the loop is closed, so nothing there awaits a result
                loop.call_soon_threadsafe(self._resume_loop, writes)

    def _resume_loop(self, writes: list[PendingWrite]) -> None:
        """Run the writes that came in the meantime, then resolve the finished ones."""
        self._run_pending_on_loop()
        for write in writes:
            write.resolve()

    def _new_group(self) -> WriteGroup:
        if not self._closed and self.connection.in_transaction:
            with suppress(apsw.Error):  # then starting the group fails and reports the reason
                self._end_last_group()
        self._before = self.listener.snapshot()
        return WriteGroup(self, self._before)

    def _end_last_group(self) -> None:
        """Roll back a transaction left open by an interrupt or a failed rollback."""
        self.listener.restore(self._before)
        self.command("ROLLBACK")


def _closed() -> EngineClosed:
    return EngineClosed("The engine is closed. Open it again with connect().")


def _run_commits(commits: SimpleQueue[Callable[[], None] | None]) -> None:
    """Commit groups for event loops; between commits, keep no reference to the writer."""
    while (commit := commits.get()) is not None:
        commit()
        del commit
