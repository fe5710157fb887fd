"""The SQLite database: who writes, who reads, and when a write is acknowledged.

Rule 1. One connection writes. Whoever finds it free carries out everything that waits, each request
        in a savepoint of its own, and commits once for all of them; so writers that come together
        share one wait for the disk, and a lone writer pays for one.
Rule 2. A write is acknowledged after the commit that holds it, never before.
Rule 3. On a file every reading thread has a connection of its own and sees the last commit without
        waiting. In memory there is one connection, and readers take turns with the writer.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeVar, cast

import apsw

from singletable.engine.storage.execute import Execute
from singletable.engine.storage.format import is_ours, lay_out
from singletable.engine.storage.lock import Hold
from singletable.errors import EngineClosed, StorageError

T = TypeVar("T")


class Follower(Protocol):
    """What is kept in memory beside the rows, and goes back when they do."""

    def mark(self) -> object:
        """The state now."""
        ...

    def restore(self, mark: object) -> None:
        """Go back to a state that was marked."""
        ...

    def commit(self) -> None:
        """The state now is the one that lasts."""
        ...


class _Waiting:
    """A write that waits for its turn, and what came of it."""

    __slots__ = ("done", "error", "result", "work")

    def __init__(self, work: Callable[[Execute], object]) -> None:
        self.work = work
        self.done = False
        self.result: object = None
        self.error: BaseException | None = None


class Database:
    """One SQLite database, opened by one process at a time.

    `vfs` names the layer of SQLite that reaches the disk; drills put one of their own there.
    """

    def __init__(self, path: Path | None, *, durable: bool = True, vfs: str | None = None) -> None:
        self.path = path
        self.durable = durable
        self._vfs = vfs
        self._turn = threading.Lock()
        self._waiting: deque[_Waiting] = deque()
        self._local = threading.local()
        self._closed = False
        self._process = os.getpid()
        self._hold = None if path is None else Hold(path)
        try:
            self._writer = self._connect(is_ours, lay_out)
            self._execute = _statements(self._writer)
            if self._hold is not None:
                self._hold.guard()
        except BaseException:
            if self._hold is not None:
                self._hold.close()
            raise
        self.follower: Follower = _Nobody()

    def write(self, work: Callable[[Execute], T]) -> T:
        """What `work` gives, once it is committed; if it raises, nothing was changed."""
        self._check_open()
        mine = _Waiting(work)
        self._waiting.append(mine)
        with self._turn:
            if not mine.done:
                self._carry_out()
        if mine.error is not None:
            raise mine.error
        return cast(T, mine.result)

    def read(self, work: Callable[[Execute], T]) -> T:
        """What `work` gives, seeing one state of the database from beginning to end."""
        try:
            return self._read(work)
        except apsw.Error as error:
            raise StorageError(
                f"The database could not be read: {error}. If it is damaged, use a copy of it."
            ) from error

    def _read(self, work: Callable[[Execute], T]) -> T:
        self._check_open()
        if self.path is None:
            with self._turn:
                self._check_open()
                return work(self._execute)
        reader: apsw.Connection | None = getattr(self._local, "reader", None)
        if reader is None:
            reader = self._local.reader = self._connect()
        execute = _statements(reader)
        try:
            return _at_one_moment(execute, work)
        except apsw.SQLError:
            # A table was dropped between what is in memory and what is in the file: for an instant
            # after a commit the two differ. While no one writes they agree.
            with self._turn:
                return _at_one_moment(execute, work)

    @property
    def waiting(self) -> int:
        """How many writes wait for their turn."""
        return len(self._waiting)

    def close(self) -> None:
        """Finish what is under way, put everything into the file, and let go of it."""
        if self._process != os.getpid():
            return
        with self._turn:
            if self._closed:
                return
            self._closed = True
            if self._hold is None:
                self._writer.close()
            else:
                self._hold.close()

    def _carry_out(self) -> None:
        """Carry out all that waits and commit once; whatever happens, everyone is told."""
        self._check_open()
        group: list[_Waiting] = []
        before = self.follower.mark()
        try:
            self._execute("BEGIN IMMEDIATE")
            while self._waiting:
                group.append(self._waiting.popleft())
                self._carry_out_one(group[-1])
            self._execute("COMMIT")
        except BaseException as error:
            group.extend(self._waiting)
            self._waiting.clear()
            self._undo(group, before, error)
            if not isinstance(error, apsw.Error):
                raise
        else:
            self.follower.commit()
        finally:
            for waiting in group:
                waiting.done = True

    def _carry_out_one(self, waiting: _Waiting) -> None:
        mark = self.follower.mark()
        self._execute("SAVEPOINT request")
        try:
            waiting.result = waiting.work(self._execute)
        except BaseException as error:  # Whoever asked is told; the others go on.
            if not self._writer.in_transaction:
                raise  # SQLite has undone everything, as it does when the disk is full
            waiting.error = _refusal(error) if isinstance(error, apsw.Error) else error
            self._execute("ROLLBACK TO request")
            self.follower.restore(mark)
        self._execute("RELEASE request")

    def _undo(self, group: list[_Waiting], before: object, error: BaseException) -> None:
        refusal = _refusal(error)
        for waiting in group:
            waiting.error = waiting.error or refusal
        self.follower.restore(before)
        if self._writer.in_transaction:
            self._execute("ROLLBACK")

    def _connect(
        self,
        check: Callable[[Execute], object] | None = None,
        prepare: Callable[[Execute], object] | None = None,
    ) -> apsw.Connection:
        """A connection; `check` sees the database before anything about it is changed."""
        try:
            connection = apsw.Connection(
                str(self.path or ":memory:"), vfs=self._vfs, statementcachesize=500
            )
            if self._hold is not None:
                self._hold.keep(connection)
            connection.set_busy_timeout(10_000)
            execute = _statements(connection)
            if check is not None:
                check(execute)
            if self.path is not None:
                execute("PRAGMA journal_mode = WAL")
                execute(f"PRAGMA synchronous = {'FULL' if self.durable else 'NORMAL'}")
            execute("PRAGMA temp_store = MEMORY")
            if prepare is not None:
                prepare(execute)
        except apsw.Error as error:
            raise StorageError(
                f"'{self.path}' cannot be used as a database: {error}. "
                "Give the path of a new file, or of one that singletable made."
            ) from error
        return connection

    def _check_open(self) -> None:
        if self._closed:
            raise EngineClosed("The engine is closed. Open it again with connect().")
        if self._process != os.getpid():
            raise StorageError(
                "The engine was opened before this process was forked, and SQLite cannot be "
                "shared that way. Fork before the engine is opened, or start the process anew "
                "(spawn)."
            )


class _Nobody:
    """Nothing is kept in memory."""

    def mark(self) -> object:
        return None

    def restore(self, mark: object) -> None:
        return None

    def commit(self) -> None:
        return None


def _at_one_moment(execute: Execute, work: Callable[[Execute], T]) -> T:
    execute("BEGIN")
    try:
        return work(execute)
    finally:
        execute("ROLLBACK")


def _refusal(error: BaseException) -> StorageError:
    return StorageError(f"The database could not be written: {error}. Nothing was kept.")


def _statements(connection: apsw.Connection) -> Execute:
    # apsw's stub names a type that Python 3.11 does not have, so the checker knows half of it.
    return cast(Execute, connection.execute)  # pyright: ignore[reportUnknownMemberType]
