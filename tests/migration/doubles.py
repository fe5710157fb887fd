"""A clock that only sleeping moves, and a driver without a change feed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from singletable import Driver, Operation, ReadChanges
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


class WithoutFeed:
    """An address without a change feed, such as DynamoDB."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver

    def execute(self, operation: Operation[R], /) -> R:
        if isinstance(operation, ReadChanges):
            raise UnknownOperation("")
        return self.driver.execute(operation)
