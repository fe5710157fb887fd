"""Drivers that fail after some operations, or run something before one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from singletable import Driver
from singletable.operations import Operation, TransactWriteItems

R = TypeVar("R")


class PowerCut(Exception):
    """The process stopped in the middle of its work."""


class PowerCutDriver:
    """A driver that fails after a number of operations, or of those of some types."""

    def __init__(self, inner: Driver, *counted: type[Operation[Any]]) -> None:
        self._inner = inner
        self._counted = counted or (object,)
        self._left: int | None = None

    def cut_after(self, operations: int) -> None:
        """Allow this many more operations."""
        self._left = operations

    def execute(self, operation: Operation[R], /) -> R:
        """Execute the operation, or raise PowerCut."""
        if self._left is not None and isinstance(operation, self._counted):
            if self._left == 0:
                raise PowerCut
            self._left -= 1
        return self._inner.execute(operation)


def is_transaction(operation: Operation[object]) -> bool:
    """Return whether an operation writes a transaction."""
    return isinstance(operation, TransactWriteItems)


class InterruptingDriver:
    """A driver that runs something else before one of its operations."""

    def __init__(
        self, inner: Driver, when: Callable[[Operation[object]], bool], what: Callable[[], object]
    ) -> None:
        self._inner = inner
        self._when = when
        self._what: Callable[[], object] | None = what

    @property
    def happened(self) -> bool:
        """Return whether it has run."""
        return self._what is None

    def execute(self, operation: Operation[R], /) -> R:
        """Execute the operation, after the interruption if it is due."""
        if self._what is not None and self._when(operation):
            what, self._what = self._what, None
            what()
        return self._inner.execute(operation)
