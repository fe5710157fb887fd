"""One SQLite database: open it, read, write and close it.

Rule 1. One connection writes. `writer.py` defines the order of writes and when a write is
        acknowledged.
Rule 2. On a file, each reader has its own connection and sees the last commit without waiting. In
        memory there is one connection, and readers take turns with the writer.
Rule 3. Closing finishes the requests in progress and the pending writes; later requests raise
        EngineClosed.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar
from weakref import WeakSet

import apsw

from dynamodb_engine.engine.storage.interface import Execute
from dynamodb_engine.engine.storage.sqlite.connection import bind_execute, open_connection
from dynamodb_engine.engine.storage.sqlite.disk_reserve import DiskReserve
from dynamodb_engine.engine.storage.sqlite.file_lock import FileLock
from dynamodb_engine.engine.storage.sqlite.page_checksums import describe_error
from dynamodb_engine.engine.storage.sqlite.writer import CommitListener, Writer
from dynamodb_engine.errors import EngineClosed, StorageError

T = TypeVar("T")


class SchemaChanged(Exception):
    """A table was created or dropped during a read; read again."""


@dataclass(slots=True, weakref_slot=True, eq=False)
class Reader:
    """A connection that reads."""

    connection: apsw.Connection
    execute: Execute


class ReaderPool:
    """Connections that read, each used by one thread at a time.

    The pool grows to the largest number of concurrent readers.
    """

    def __init__(self, connect: Callable[[], apsw.Connection]) -> None:
        self._connect = connect
        self._idle: list[Reader] = []
        self._opened: WeakSet[Reader] = WeakSet()
        self._closed = False
        self._opening = threading.Lock()
        self._returned = threading.Event()

    def read(self, work: Callable[[Execute], T], *, one_statement: bool = False) -> T:
        """Run `work` on a snapshot of the last commit and return its result.

        With `one_statement` there is no transaction: a single statement reads one snapshot anyway.
        """
        try:
            reader = self._idle.pop()
        except IndexError:
            reader = self._open()
        execute = reader.execute
        try:
            if self._closed:
                raise EngineClosed("The engine is closed. Open it again with connect().")
            try:
                if not one_statement:
                    execute("BEGIN")
                return work(execute)
            finally:
                # After some disk errors, SQLite has already ended the transaction.
                if reader.connection.in_transaction:
                    execute("ROLLBACK")
        finally:
            self._idle.append(reader)
            if self._closed:
                self._returned.set()

    def close(self) -> None:
        """Wait for the readers in progress and start no more; then connections can be closed."""
        with self._opening:
            self._closed = True
        # `_opened` is weak, so this does not wait for a reader that was lost in an interrupt.
        while len(self._idle) < len(self._opened):
            self._returned.wait(1)
            self._returned.clear()

    def _open(self) -> Reader:
        with self._opening:
            if self._closed:
                raise EngineClosed("The engine is closed. Open it again with connect().")
            connection = self._connect()
            reader = Reader(connection, bind_execute(connection))
            self._opened.add(reader)
            return reader


class Database:
    """One SQLite database, opened by one process at a time.

    `vfs` names the SQLite layer that accesses the disk, which drills replace. `contents` is what
    `serialize` of another database returned.
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
        self._fork_count = _fork_count
        self._lock = None if path is None else FileLock(path)
        connect = partial(
            open_connection, path, self._lock, durable=durable, vfs=vfs, contents=contents
        )
        try:
            self._connection = connect(initialize=True)
            if self._lock is not None:
                self._lock.lock_out_other_libraries()
        except BaseException:
            if self._lock is not None:
                self._lock.close()
            raise
        self._writer = Writer(self._connection, has_log=path is not None)
        self.command = self._writer.command
        self._readers = ReaderPool(connect)
        self._reserve = DiskReserve(None if path is None else path.resolve().parent)

    def set_listener(self, listener: CommitListener) -> None:
        """Commit and roll back the listener's state together with the rows."""
        self._writer.listener = listener

    def write(self, work: Callable[[Execute], T]) -> T:
        """Run `work`, commit, and return its result; if it raises, nothing was changed."""
        if self._fork_count != _fork_count:
            raise _forked()
        return self._writer.write(work)

    def write_with_reserve(self, work: Callable[[Execute], T]) -> T:
        """Write like `write`, using the reserved disk space. Only for work that frees space."""
        if self._fork_count != _fork_count:
            raise _forked()
        return self._writer.write_alone(work, self._room())

    @contextmanager
    def _room(self) -> Generator[None]:
        """Release the reserve and truncate the log during the block."""
        with self._reserve.released():
            self._truncate_log()
            try:
                yield
            finally:
                self._truncate_log()

    def _truncate_log(self) -> None:
        if self._writer.log is not None:
            # The disk may be too full even for this, or a reader may block it.
            self._writer.log.checkpoint(self._connection, apsw.SQLITE_CHECKPOINT_TRUNCATE)

    def write_async(self, work: Callable[[Execute], T]) -> asyncio.Future[T]:
        """Queue `work` on the running event loop; the future resolves after the commit."""
        if self._fork_count != _fork_count:
            raise _forked()
        return self._writer.write_async(work)

    def read(self, work: Callable[[Execute], T]) -> T:
        """Run `work` on one snapshot of the database and return its result."""
        try:
            return self.read_at_once(work)
        except SchemaChanged:
            return self.read_exclusively(work)

    def read_at_once(self, work: Callable[[Execute], T], *, one_statement: bool = False) -> T:
        """Read like `read`, but raise SchemaChanged instead of waiting for the writer.

        In memory it still waits, because there is only one connection.
        """
        if self._fork_count != _fork_count:
            raise _forked()
        try:
            if self.path is None:
                return self._writer.run_exclusively(work)
            return self._readers.read(work, one_statement=one_statement)
        except (apsw.SQLError, apsw.SchemaChangeError) as error:
            # A table was created or dropped between the lookup in memory and reading the file.
            # SQLite reports the missing table as an SQLError or, if the schema changed again during
            # its own retry, as a SchemaChangeError.
            if self.path is None:
                raise _read_error(error, None) from error
            raise SchemaChanged from error
        except apsw.Error as error:
            raise _read_error(error, self.path) from error

    def read_exclusively(self, work: Callable[[Execute], T]) -> T:
        """Read while holding the write lock, so that the catalog and the file agree."""
        try:
            return self._writer.run_exclusively(lambda _: self._readers.read(work))
        except apsw.Error as error:
            raise _read_error(error, self.path) from error

    def serialize(self) -> bytes:
        """Return everything in the database, to open a copy of it in memory."""
        if self._fork_count != _fork_count:
            raise _forked()
        try:
            pages = self._writer.run_exclusively(lambda _: self._connection.serialize("main"))
        except apsw.Error as error:
            raise _read_error(error, self.path) from error
        # Bytes 18 and 19 say that a file has a write-ahead log; a database in memory has none.
        return pages[:18] + b"\x01\x01" + pages[20:]

    @property
    def pending_writes(self) -> int:
        """Return the number of queued writes."""
        return len(self._writer.pending)

    def close(self) -> None:
        """Finish the current requests, checkpoint the log into the file, and release the file."""
        if self._fork_count != _fork_count:
            return
        with self._closing:
            if self._closed:
                return
            self._closed = True
            self._writer.close()
            self._readers.close()
            if self._lock is None:
                self._connection.close()
            else:
                self._lock.close()
            self._reserve.close()


def _forked() -> StorageError:
    return StorageError(
        "The engine was opened before this process was forked, and SQLite cannot be shared with a "
        "forked process. Fork before you open the engine, or start the process with spawn."
    )


def _read_error(error: apsw.Error, path: Path | None) -> StorageError:
    advice = "" if path is None else f" Find all damage with: dynamodb-engine check {path}"
    return StorageError(f"The database could not be read: {describe_error(error)}.{advice}")


# The number of forks between this process and the first. Every request compares it, so it is
# counted here: asking the system for the process id would be slower.
_fork_count = 0


def _count_fork() -> None:
    global _fork_count
    _fork_count += 1


os.register_at_fork(after_in_child=_count_fork)
