"""The one connection that writes: whose turn it is, and who is told when.

Rule 1. Whoever has the turn carries out everything that waits, and commits once for all of it. So
        writers that come together share one wait for the disk, and a lone writer pays for one.
Rule 2. A write is acknowledged after the commit that holds it, never before.
Rule 3. An event loop carries out its writes itself, which touches memory, and leaves the commit,
        which waits for the disk, to a thread; the thread wakes it once for the whole group. An
        event loop never waits for the turn: whoever lets go of it wakes those that have writes.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from threading import Lock, Thread
from typing import TypeVar, cast

import apsw

from singletable.engine.storage.execute import Execute, statements
from singletable.engine.storage.group import Follower, Group, Nobody, Write
from singletable.errors import EngineClosed, StorageError

T = TypeVar("T")


class Writer:
    """Takes writes from threads and from event loops, in the order in which they come."""

    def __init__(self, connection: apsw.Connection) -> None:
        self.follower: Follower = Nobody()
        self.waiting: deque[Write] = deque()
        self._connection = connection
        self._execute = statements(connection)
        self._turn = Lock()
        self._closed = False
        self._loops: set[asyncio.AbstractEventLoop] = set()
        self._commits: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread: Thread | None = None

    def __del__(self) -> None:
        self._commits.put(None)

    def write(self, work: Callable[[Execute], T]) -> T:
        """What `work` gives, once it is committed; if it raises, nothing was changed."""
        mine = Write(work)
        self.waiting.append(mine)
        self._take_turn(unless=mine)
        if mine.error is not None:
            raise mine.error
        if not mine.done:
            # Whoever had taken it up was interrupted before it was in a group, or while telling.
            raise StorageError(
                "The write was interrupted, and whether it was kept is not known. Read to see."
            )
        return cast(T, mine.result)

    def write_soon(self, work: Callable[[Execute], T]) -> asyncio.Future[T]:
        """The same for an event loop, which has other things to do meanwhile."""
        loop = asyncio.get_running_loop()
        if loop not in self._loops:
            self._loops = {loop, *(one for one in self._loops if not one.is_closed())}
        future: asyncio.Future[object] = loop.create_future()
        self.waiting.append(Write(work, future))
        # Requests that came at once are read before the turn comes, and go together.
        if not self._turn.locked():
            loop.call_soon(self._take_turn_on_loop)
        return cast("asyncio.Future[T]", future)

    def alone(self, work: Callable[[Execute], T]) -> T:
        """What `work` gives while no one writes."""
        try:
            with self._turn:
                self._check_open()
                return work(self._execute)
        finally:
            self._wake(None)

    def close(self) -> None:
        """Carry out what waits, and take no more."""
        self._take_turn(last=True)
        if self._thread is not None:
            self._commits.put(None)
            self._thread.join()

    def _take_turn(self, unless: Write | None = None, *, last: bool = False) -> None:
        """Carry out what waits and commit it, unless a write is done by then."""
        group = None
        try:
            with self._turn:
                if unless is None or not unless.done:
                    group = Group(self._connection, self.follower)
                    self._carry_out(group)
                    group.commit()
                self._closed = self._closed or last
        finally:
            self._wake(group)

    def _take_turn_on_loop(self) -> None:
        """Carry out what waits and have it committed, unless someone else will."""
        if not self.waiting or not self._turn.acquire(blocking=False):
            return
        group = Group(self._connection, self.follower)
        try:
            self._carry_out(group)
        finally:
            if group.begun:
                self._commit_in_thread(group)
            else:
                self._commit(group)

    def _commit_in_thread(self, group: Group) -> None:
        if self._thread is None:
            self._thread = Thread(target=_run, args=[self._commits], daemon=True)
            self._thread.start()
        self._commits.put(partial(self._commit, group))

    def _carry_out(self, group: Group) -> None:
        """Carry out all that waits; if that cannot be, everyone is told."""
        try:
            self._check_open()
            while self.waiting:
                group.carry_out(self.waiting.popleft())
        except BaseException as error:
            while self.waiting:
                group.writes.append(self.waiting.popleft())
            if isinstance(error, EngineClosed):
                group.refuse(error)
                return
            group.undo(error)
            if not isinstance(error, apsw.Error):
                raise

    def _commit(self, group: Group) -> None:
        """End the turn of an event loop; in a thread, if the disk is waited for."""
        try:
            group.commit()
        finally:
            self._turn.release()
            self._wake(group)

    def _wake(self, group: Group | None) -> None:
        """Wake the event loops that have writes in the group, or that have some waiting."""
        if not self._loops:
            return
        told: dict[asyncio.AbstractEventLoop, list[Write]] = {}
        if self.waiting:
            told = {loop: [] for loop in self._loops}
        for write in () if group is None else group.writes:
            if write.future is not None:
                told.setdefault(write.future.get_loop(), []).append(write)
        for loop, writes in told.items():
            with suppress(RuntimeError):  # it is closed, and nobody waits there
                loop.call_soon_threadsafe(self._tell, writes)

    def _tell(self, writes: list[Write]) -> None:
        """On an event loop: go on with what has come since, and tell what came of its writes."""
        self._take_turn_on_loop()
        for write in writes:
            write.tell()

    def _check_open(self) -> None:
        if self._closed:
            raise EngineClosed("The engine is closed. Open it again with connect().")


def _run(commits: SimpleQueue[Callable[[], None] | None]) -> None:
    """Wait for the disk for others; between commits this holds on to no one."""
    while (commit := commits.get()) is not None:
        commit()
        del commit
