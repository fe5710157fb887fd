"""The last changes to a table, read from the feed of the wrapped driver as far back as needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from singletable.errors import (
    FaultsError,
    OperationError,
    SingleTableError,
    StorageError,
    TrimmedDataAccess,
)
from singletable.faults.steps import Steps, ask
from singletable.operations import ChangeRecord, ReadChanges, ReadChangesOutput

_FIRST_LOOK = 64


@dataclass(frozen=True, slots=True)
class Window:
    """All changes to a table after `start`, up to and including `end`."""

    start: int
    end: int
    changes: tuple[ChangeRecord, ...]


def present_end(driver: str) -> Steps[int]:
    """The position of the newest change."""
    return (yield from _read(ReadChanges(None), driver)).position


def changes_after(table: str, start: int, driver: str) -> Steps[Window]:
    """Everything that happened to a table after a position."""
    changes: list[ChangeRecord] = []
    position = start
    while True:
        read = yield from _read(ReadChanges(position, table), driver)
        changes += read.changes
        position = read.position
        if len(read.changes) < ReadChanges(position).limit:
            return Window(start, position, tuple(changes))


def last_changes(
    table: str, enough: Callable[[Window], bool], reach: int, driver: str
) -> Steps[Window]:
    """The latest changes to a table: back to `reach`, and further until there are enough.

    Where the feed does not reach back so far, as much of it as there is.
    """
    newest = yield from present_end(driver)
    window = Window(newest, newest, ())
    look = max(_FIRST_LOOK, newest - reach)
    while True:
        start = max(0, newest - look)
        try:
            window = yield from changes_after(table, start, driver)
        except TrimmedDataAccess:
            return (yield from _oldest(table, start, window, driver))
        if start == 0 or enough(window):
            return window
        look *= 8


def _oldest(table: str, trimmed: int, window: Window, driver: str) -> Steps[Window]:
    """The widest window there is: wider than the one given, beginning after what was trimmed."""
    while window.start - trimmed > 1:
        middle = (trimmed + window.start) // 2
        try:
            window = yield from changes_after(table, middle, driver)
        except TrimmedDataAccess:
            trimmed = middle
    return window


def _read(request: ReadChanges, driver: str) -> Steps[ReadChangesOutput]:
    try:
        return (yield from ask(request))
    except StorageError:
        raise
    except SingleTableError as error:
        if isinstance(error, OperationError) and error.code != "UnknownOperationException":
            raise
        raise FaultsError(
            f"Stale reads are answered by a copy that follows ReadChanges, and {driver} does not "
            "answer that. Wrap a driver that does, such as the embedded engine, or leave out stale."
        ) from error
