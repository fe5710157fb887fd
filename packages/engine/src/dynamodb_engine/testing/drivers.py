"""Drivers that a test interrupts: a crash, a lost response or another client at a chosen time."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from threading import Lock
from typing import Any, Generic, TypeAlias, TypeVar

from dynamodb_engine.operations import AsyncDriver, Driver, Operation

D = TypeVar("D")
R = TypeVar("R")

# Operations of a type, of several types, or those for which a function returns True.
When: TypeAlias = (
    type[Operation[Any]] | tuple[type[Operation[Any]], ...] | Callable[[Operation[Any]], bool]
)
# A function that is called, or an exception that is raised.
Action: TypeAlias = Callable[[], object] | BaseException


class Crash(BaseException):
    """The process ends here. `except Exception` does not catch it."""


class InterruptibleDriver(Generic[D]):
    """What InterruptedDriver and AsyncInterruptedDriver have in common.

    `when` selects operations, by default all. From the `first` of them (0 is the next one),
    `times` times (None is always), `before` and `after` are called, or raised if they are
    exceptions: `after=InternalError` executes an operation and loses its response.
    """

    def __init__(
        self,
        driver: D,
        when: When | None = None,
        *,
        before: Action | None = None,
        after: Action | None = None,
        first: int = 0,
        times: int | None = 1,
    ) -> None:
        self.driver = driver
        self._lock = Lock()
        self.interrupt(when, before=before, after=after, first=first, times=times)

    def interrupt(
        self,
        when: When | None = None,
        *,
        before: Action | None = None,
        after: Action | None = None,
        first: int = 0,
        times: int | None = 1,
    ) -> None:
        """Replace the interruption, and count operations from here."""
        self._when, self._before, self._after = when, before, after
        self._turns = range(first, sys.maxsize if times is None else first + times)
        # How many operations `when` has selected, and how many of them were interrupted.
        self.count = self.interrupted = 0

    def crash_after(self, operations: int, when: When | None = None) -> None:
        """Execute this many more operations, and raise Crash instead of all later ones."""
        self.interrupt(when, before=Crash, first=operations, times=None)

    def _actions(self, operation: Operation[Any]) -> tuple[Action | None, Action | None]:
        """Return what happens before and after the operation."""
        if not _is_selected(operation, self._when):
            return None, None
        with self._lock:
            is_turn = self.count in self._turns
            self.count += 1
            self.interrupted += is_turn
        return (self._before, self._after) if is_turn else (None, None)


class InterruptedDriver(InterruptibleDriver[Driver]):
    """A driver on which something happens before or after some operations."""

    def execute(self, operation: Operation[R], /) -> R:
        """Execute the operation, with the interruption if it is due."""
        before, after = self._actions(operation)
        _run(before)
        output = self.driver.execute(operation)
        _run(after)
        return output


class AsyncInterruptedDriver(InterruptibleDriver[AsyncDriver]):
    """An async driver; what happens before or after an operation may be an async function."""

    async def execute(self, operation: Operation[R], /) -> R:
        """Execute the operation, with the interruption if it is due."""
        before, after = self._actions(operation)
        if inspect.isawaitable(result := _run(before)):
            await result
        output = await self.driver.execute(operation)
        if inspect.isawaitable(result := _run(after)):
            await result
        return output


def _is_selected(operation: Operation[Any], when: When | None) -> bool:
    if when is None or isinstance(when, type | tuple):
        return isinstance(operation, when or Operation)
    return when(operation)


def _run(action: Action | None) -> object:
    if action is None:
        return None
    if isinstance(action, BaseException):
        raise action
    if isinstance(action, type) and issubclass(action, BaseException):
        raise action
    return action()
