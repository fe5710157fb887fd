"""A driver that loses responses."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from singletable import Driver, InternalError, SingleTableError
from singletable.operations import Operation

R = TypeVar("R")


class Lossy:
    """A driver that executes the first operation of a kind, but loses its response.

    Then it calls `then`. The next operations of this kind, up to `times` in all, fail with `later`
    and are not executed.
    """

    def __init__(
        self,
        inner: Driver,
        kind: type[Operation[object]],
        *,
        then: Callable[[], object] = lambda: None,
        times: int = 1_000,
        later: SingleTableError | None = None,
    ) -> None:
        self._inner, self._kind, self._then, self._left = inner, kind, then, times
        self._later = later or InternalError("Internal server error")
        self.lost = 0

    def execute(self, operation: Operation[R], /) -> R:
        """Execute the operation, or lose its response."""
        if not isinstance(operation, self._kind) or self.lost == self._left:
            return self._inner.execute(operation)
        self.lost += 1
        if self.lost == 1:
            self._inner.execute(operation)
            self._then()
            raise InternalError("Internal server error")
        raise self._later
