"""A clock that only sleeping moves, and a driver without streams."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from dynamodb_engine import Driver, UpdateTable
from dynamodb_engine.testing import InterruptedDriver
from singletable.errors import UnknownOperation


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


def without_streams(driver: Driver) -> InterruptedDriver:
    """Return a driver on which no stream can be enabled, as on some servers."""
    return InterruptedDriver(driver, UpdateTable, before=UnknownOperation(""), times=None)
