"""Drivers that stop at one operation, or let others come in between."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from singletable import Driver
from singletable.operations import Operation

R = TypeVar("R")


class PowerCut(Exception):
    """The process is gone in the middle of what it did."""


class PowerCutDriver:
    """A driver that is dead after some more operations, once that is wished."""

    def __init__(self, inner: Driver) -> None:
        self._inner = inner
        self._left: int | None = None

    def cut_after(self, operations: int) -> None:
        """Let so many operations be executed from now on."""
        self._left = operations

    def execute(self, operation: Operation[R], /) -> R:
        """The answer, as long as there is power."""
        if self._left is not None:
            if self._left == 0:
                raise PowerCut
            self._left -= 1
        return self._inner.execute(operation)


class InterruptingDriver:
    """A driver that lets something else happen before one of its operations."""

    def __init__(
        self, inner: Driver, when: Callable[[Operation[object]], bool], what: Callable[[], object]
    ) -> None:
        self._inner = inner
        self._when = when
        self._what: Callable[[], object] | None = what

    @property
    def happened(self) -> bool:
        """Whether the moment came."""
        return self._what is None

    def execute(self, operation: Operation[R], /) -> R:
        """The answer, after what happened before it."""
        if self._what is not None and self._when(operation):
            what, self._what = self._what, None
            what()
        return self._inner.execute(operation)
