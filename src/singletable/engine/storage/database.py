"""The SQLite database: who writes, who reads, and how it is opened and closed.

Rule 1. One connection writes; `writer.py` says in whose turn, and when a write is acknowledged.
Rule 2. On a file readers have connections of their own and see the last commit without waiting. In
        memory there is one connection, and readers take turns with the writer.
Rule 3. To close is to finish what is under way and what waits; who comes later is told.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import apsw

from singletable.engine.storage.execute import Execute, statements
from singletable.engine.storage.format import is_ours, lay_out
from singletable.engine.storage.group import Follower
from singletable.engine.storage.lock import Hold
from singletable.engine.storage.readers import Readers
from singletable.engine.storage.writer import Writer
from singletable.errors import StorageError

T = TypeVar("T")


class Database:
    """One SQLite database, opened by one process at a time.

    `vfs` names the layer of SQLite that reaches the disk; drills put one of their own there.
    `contents` are what another database in memory held.
    """

    def __init__(
        self,
        path: Path | None,
        *,
        durable: bool = True,
        vfs: str | None = None,
        contents: bytes | None = None,
    ) -> None:
        self.path = path
        self._closing = threading.Lock()
        self._closed = False
        self._born = _forks
        self._hold = None if path is None else Hold(path)
        connect = partial(_connect, path, self._hold, durable=durable, vfs=vfs, contents=contents)
        try:
            self._connection = connect(is_ours, lay_out)
            if self._hold is not None:
                self._hold.guard()
        except BaseException:
            if self._hold is not None:
                self._hold.close()
            raise
        self._writer = Writer(self._connection)
        self._readers = Readers(connect)

    def follow(self, follower: Follower) -> None:
        """Let what is kept in memory go with the rows."""
        self._writer.follower = follower

    def write(self, work: Callable[[Execute], T]) -> T:
        """What `work` gives, once it is committed; if it raises, nothing was changed."""
        self._check_process()
        return self._writer.write(work)

    def write_soon(self, work: Callable[[Execute], T]) -> asyncio.Future[T]:
        """The same for an event loop, which has other things to do meanwhile."""
        self._check_process()
        return self._writer.write_soon(work)

    def read(self, work: Callable[[Execute], T]) -> T:
        """What `work` gives, seeing one state of the database from beginning to end."""
        self._check_process()
        try:
            return self._writer.alone(work) if self.path is None else self._read(work)
        except apsw.Error as error:
            raise StorageError(
                f"The database could not be read: {error}. If it is damaged, use a copy of it."
            ) from error

    def _read(self, work: Callable[[Execute], T]) -> T:
        try:
            return self._readers.read(work)
        except (apsw.SQLError, apsw.SchemaChangeError):
            # A table was created or dropped between looking it up in memory and reading the file.
            # SQLite reports the missing table as an SQLError or, if the schema changed again during
            # its own retry, as a SchemaChangeError. Without a writer the two agree.
            return self._writer.alone(lambda _: self._readers.read(work))

    def contents(self) -> bytes:
        """All that it holds, for another database in memory to begin with."""
        self._check_process()
        pages = self._writer.alone(lambda _: self._connection.serialize("main"))
        # Bytes 18 and 19 say that a file has a write-ahead log, and what is in memory has none.
        return pages[:18] + b"\x01\x01" + pages[20:]

    @property
    def waiting(self) -> int:
        """How many writes wait for their turn."""
        return len(self._writer.waiting)

    def close(self) -> None:
        """Finish what is under way, put everything into the file, and let go of it."""
        if self._born != _forks:
            return
        with self._closing:
            if self._closed:
                return
            self._closed = True
            self._writer.close()
            self._readers.close()
            if self._hold is None:
                self._connection.close()
            else:
                self._hold.close()

    def _check_process(self) -> None:
        if self._born != _forks:
            raise StorageError(
                "The engine was opened before this process was forked, and SQLite cannot be "
                "shared that way. Fork before the engine is opened, or start the process anew "
                "(spawn)."
            )


def _connect(
    path: Path | None,
    hold: Hold | None,
    check: Callable[[Execute], object] | None = None,
    prepare: Callable[[Execute], object] | None = None,
    *,
    durable: bool,
    vfs: str | None,
    contents: bytes | None,
) -> apsw.Connection:
    """A connection; `check` sees the database before anything about it is changed."""
    try:
        connection = apsw.Connection(str(path or ":memory:"), vfs=vfs, statementcachesize=500)
        if hold is not None:
            hold.keep(connection)
        if contents is not None:
            connection.deserialize("main", contents)  # pyright: ignore[reportUnknownMemberType]
        connection.set_busy_timeout(10_000)
        execute = statements(connection)
        if check is not None:
            check(execute)
        if path is not None:
            execute("PRAGMA journal_mode = WAL")
            execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
        execute("PRAGMA temp_store = MEMORY")
        if prepare is not None:
            prepare(execute)
    except apsw.Error as error:
        raise StorageError(
            f"'{path}' cannot be used as a database: {error}. "
            "Give the path of a new file, or of one that singletable made."
        ) from error
    return connection


# How many forks lie between this process and the first: asked at each request, so it is counted
# rather than asked of the system.
_forks = 0


def _count_fork() -> None:
    global _forks
    _forks += 1


os.register_at_fork(after_in_child=_count_fork)
