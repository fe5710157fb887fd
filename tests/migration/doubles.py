"""A clock, and drivers that crash, wait for other writers, or lack the change feed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import TypeVar

from singletable import Driver, Operation, ReadChanges, TransactWriteItems
from singletable.wire import UnknownOperation

R = TypeVar("R")


@dataclass
class Clock:
    """A clock that only sleeping moves; `on_sleep` is called meanwhile."""

    now: float = 1000.0
    on_sleep: Callable[[], object] | None = None
    slept: list[float] = field(default_factory=list[float])

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.slept.append(seconds)
        if seconds and self.on_sleep is not None:
            self.on_sleep()


class Killed(BaseException):
    """The process ends here."""


@dataclass
class Mortal:
    """Executes requests until the process is killed: before the request, or after it."""

    driver: Driver
    lives: int
    after: bool = False
    requests: int = 0

    def execute(self, operation: Operation[R], /) -> R:
        self.requests += 1
        if self.requests > self.lives or (self.requests == self.lives and not self.after):
            raise Killed
        output = self.driver.execute(operation)
        if self.requests == self.lives:
            raise Killed
        return output


@dataclass
class Disturbed:
    """Does something before each request."""

    driver: Driver
    disturb: Callable[[], object]
    _lock: Lock = field(default_factory=Lock)

    def execute(self, operation: Operation[R], /) -> R:
        with self._lock:
            self.disturb()
        return self.driver.execute(operation)


class Crash(Exception):
    """The process ended."""


class HookedDriver:
    """Calls a function with each request, before it is executed or after it."""

    def __init__(
        self,
        inner: Driver,
        before: Callable[[Operation[object]], object] | None = None,
        after: Callable[[Operation[object]], object] | None = None,
    ) -> None:
        self._inner = inner
        self._before = before
        self._after = after

    def execute(self, operation: Operation[R], /) -> R:
        if self._before is not None:
            self._before(operation)
        output = self._inner.execute(operation)
        if self._after is not None:
            self._after(operation)
        return output


def before_first_transaction(driver: Driver, write: Callable[[], object]) -> HookedDriver:
    """Return a driver that calls a function once, before the first transaction."""
    waiting = [write]

    def hook(operation: Operation[object]) -> None:
        if isinstance(operation, TransactWriteItems) and waiting:
            waiting.pop()()

    return HookedDriver(driver, hook)


class WithoutFeed:
    """An address without a change feed, such as DynamoDB."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver

    def execute(self, operation: Operation[R], /) -> R:
        if isinstance(operation, ReadChanges):
            raise UnknownOperation("")
        return self.driver.execute(operation)
