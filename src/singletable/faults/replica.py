"""A lagging copy of each table, in memory: it is always some past state of its table.

Rule 1. A copy has every change to its table up to its position, and none after it.
Rule 2. What takes I/O is gathered first, without a lock; moving a copy and reading from it is one
        step under the lock, and is begun anew if the copy meanwhile moved out of what was gathered.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import TypeVar

from singletable.engine import Engine, Retention, Settings
from singletable.errors import FaultsError, ValidationError
from singletable.faults.feed import Window, changes_after, last_changes, present_end
from singletable.faults.recreate import recreated
from singletable.faults.steps import Steps, ask
from singletable.operations import (
    CreateTable,
    DeleteItem,
    Operation,
    PutItem,
    Scan,
    TableDescription,
)
from singletable.values import Item

R = TypeVar("R")


class Copy:
    """A table as it was at a position of the feed."""

    def __init__(self, table_id: str, table: CreateTable) -> None:
        self.identity = (table_id, table)
        self.name = table.table_name
        self.position = 0
        self.engine = Engine.in_memory(Settings(retention=Retention(records=1)))
        self.engine.execute(table)

    def fits(self, window: Window) -> bool:
        """Whether every change between the copy and the window's end is in the window."""
        return window.start <= self.position <= window.end

    def move(self, window: Window, keep: int) -> None:
        """Go forward or back until just the last so many changes of the window are missing."""
        kept = max(0, len(window.changes) - keep)
        for change in reversed(window.changes[kept:]):
            if change.position <= self.position:
                self._store(change.keys, change.old)
        for change in window.changes[:kept]:
            if change.position > self.position:
                self._store(change.keys, change.new)
        self.position = window.changes[kept - 1].position if kept else window.start

    def catch_up(self, window: Window) -> None:
        """Take over every change, whether or not it is there already."""
        for change in window.changes:
            self._store(change.keys, change.new)
        self.position = window.end

    def store(self, item: Item) -> None:
        """Put an item where it is in the table."""
        try:
            self.engine.execute(PutItem(self.name, item))
        except ValidationError as error:
            # It was there before an index was added whose keys it does not fit.
            raise FaultsError(
                f"Stale reads of '{self.name}' are answered by a copy of it, and the copy cannot "
                f"hold an item that the table has: {error}. Leave out stale for this table."
            ) from error

    def _store(self, key: Item, item: Item | None) -> None:
        if item is None:
            self.engine.execute(DeleteItem(self.name, key))
        else:
            self.store(item)


class Replica:
    """The lagging copies of a driver's tables."""

    def __init__(self, driver: str) -> None:
        self._driver = driver
        self._copies: dict[str, Copy] = {}
        self._lock = Lock()

    def read(
        self,
        operation: Operation[R],
        table: TableDescription,
        lag: Callable[[Window], int | None],
    ) -> Steps[R]:
        """The answer as of `lag` changes ago; None from it means that it must see more of them."""
        name = table.table_name
        identity = (table.table_id, recreated(table))
        while True:
            copy = self._copies.get(name)
            if copy is None or copy.identity != identity:
                copy = yield from self._copied(Copy(*identity))
            window = yield from last_changes(
                name, lambda seen: lag(seen) is not None, copy.position, self._driver
            )
            with self._lock:
                if self._copies.get(name) is not copy:
                    continue
                if copy.fits(window):
                    keep = lag(window)
                    self._move(copy, window, len(window.changes) if keep is None else keep)
                    return copy.engine.execute(operation)
                if window.start > copy.position:
                    # The feed no longer reaches back to where the copy is.
                    del self._copies[name]

    def forget(self) -> None:
        """Let go of all copies."""
        with self._lock:
            self._copies.clear()

    def _move(self, copy: Copy, window: Window, keep: int) -> None:
        try:
            copy.move(window, keep)
        except BaseException:
            # Moved half of the way, it is no state that ever was.
            del self._copies[copy.name]
            raise

    def _copied(self, copy: Copy) -> Steps[Copy]:
        """The table as it is now, or was a moment ago, now the copy that others use too."""
        start = yield from present_end(self._driver)
        scan = Scan(copy.name, consistent_read=True)
        while True:
            page = yield from ask(scan)
            for item in page.items:
                copy.store(item)
            if page.last_evaluated_key is None:
                break
            scan = Scan(
                copy.name, exclusive_start_key=page.last_evaluated_key, consistent_read=True
            )
        # Pages are of different moments; with all changes since the first, they are of the last.
        copy.catch_up((yield from changes_after(copy.name, start, self._driver)))
        with self._lock:
            self._copies[copy.name] = copy
        return copy
