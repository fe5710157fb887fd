"""A driver on which something happens between the requests of a store."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from singletable.operations import Driver, Operation


class InterruptedDriver:
    """Calls a function before, or after, some requests of a kind: from the `first`, `times` times.

    A function that raises ends the call of the store, as a crash of the process would.
    """

    def __init__(
        self,
        driver: Driver,
        action: Callable[[], object],
        kind: type[Operation[Any]] | None = None,
        *,
        first: int = 0,
        times: int = 1,
        after: bool = False,
    ) -> None:
        self._driver = driver
        self._action = action
        self._kind = kind
        self._turns = range(first, first + times)
        self._after = after
        # How many requests of the kind were sent.
        self.count = 0

    def execute(self, operation: Operation[Any], /) -> Any:
        """Execute the operation on the driver, perhaps with the action."""
        is_turn = self._is_turn(operation)
        if is_turn and not self._after:
            self._action()
        output = self._driver.execute(operation)
        if is_turn and self._after:
            self._action()
        return output

    def _is_turn(self, operation: Operation[Any]) -> bool:
        if self._kind is not None and type(operation) is not self._kind:
            return False
        self.count += 1
        return self.count - 1 in self._turns


def stop_process() -> None:
    """End the process."""
    raise SystemExit
