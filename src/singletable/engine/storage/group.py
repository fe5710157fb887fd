"""Writes that share a transaction: each is kept or undone by itself, all are committed at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

import apsw

from singletable.engine.storage.execute import Execute, statements
from singletable.errors import StorageError


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


class Nobody:
    """Nothing is kept in memory."""

    def mark(self) -> object:
        """Nothing."""
        return None

    def restore(self, mark: object) -> None:
        """Change nothing."""

    def commit(self) -> None:
        """Change nothing."""


class Write:
    """A write that waits for its turn, and what came of it; `future` is for an event loop."""

    __slots__ = ("done", "error", "future", "result", "work")

    def __init__(
        self, work: Callable[[Execute], object], future: asyncio.Future[object] | None = None
    ) -> None:
        self.work = work
        self.future = future
        self.done = False
        self.result: object = None
        self.error: BaseException | None = None

    def tell(self) -> None:
        """Tell whoever awaits the write what came of it; on the event loop."""
        if self.future is None or self.future.done():
            return
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.result)


class Group:
    """Writes of one transaction, in order.

    The first to be kept needs no savepoint: if it fails, there is nothing else to be undone. Until
    then the group has not `begun`, and there is nothing to commit.
    """

    def __init__(self, connection: apsw.Connection, follower: Follower) -> None:
        self.writes: list[Write] = []
        self._connection = connection
        self._execute = statements(connection)
        self._follower = follower
        self._before = follower.mark()
        self.begun = False

    def carry_out(self, write: Write) -> None:
        """Do the work, or leave its error with it; raise if the whole group cannot go on."""
        if write.future is not None and write.future.cancelled():
            return
        self.writes.append(write)
        if self.begun:
            self._carry_out_in_savepoint(write)
            return
        self._execute("BEGIN IMMEDIATE")
        try:
            write.result = write.work(self._execute)
        except Exception as error:  # Whoever asked is told; an interrupt is not theirs.
            write.error = _told(error)
            self._roll_back()
        else:
            self.begun = True

    def _carry_out_in_savepoint(self, write: Write) -> None:
        mark = self._follower.mark()
        self._execute("SAVEPOINT request")
        try:
            write.result = write.work(self._execute)
        except Exception as error:  # Whoever asked is told; the others go on.
            if not self._connection.in_transaction:
                raise  # SQLite has undone everything, as it does when the disk is full
            write.error = _told(error)
            self._execute("ROLLBACK TO request")
            self._follower.restore(mark)
        self._execute("RELEASE request")

    def commit(self) -> None:
        """Let what was written last; if that fails, every write has its error."""
        if self.begun:
            try:
                self._execute("COMMIT")
            except apsw.Error as error:
                self.undo(error)
                return
            except BaseException as error:  # an interrupt, just before or just after
                if self._connection.in_transaction:
                    self.undo(error)
                else:
                    self._last()
                raise
            self._last()
            return
        self._end()

    def _last(self) -> None:
        self._follower.commit()
        self._end()

    def undo(self, error: BaseException) -> None:
        """Keep nothing, and say so to everyone."""
        self.refuse(_refusal(error))
        self._roll_back()

    def refuse(self, error: BaseException) -> None:
        """Say to everyone that nothing was kept."""
        for write in self.writes:
            write.error = write.error or error
        self._end()

    def _roll_back(self) -> None:
        self.begun = False
        self._follower.restore(self._before)
        if self._connection.in_transaction:
            # A disk that fails even here leaves it to the next BEGIN to say so.
            with suppress(apsw.Error):
                self._execute("ROLLBACK")

    def _end(self) -> None:
        for write in self.writes:
            write.done = True


def _told(error: BaseException) -> BaseException:
    return _refusal(error) if isinstance(error, apsw.Error) else error


def _refusal(error: BaseException) -> StorageError:
    why = str(error) if isinstance(error, Exception) else "it was interrupted"
    return StorageError(f"The database could not be written: {why}. Nothing was kept.")
