"""Clocks: of this process, and of the database that processes share."""

from __future__ import annotations

import time
from collections.abc import Callable

from dynamodb_engine.operations import AsyncDriver, Driver


def elapsed() -> float:
    """Return seconds that go on while the machine sleeps, and never go back."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if clock is None else time.clock_gettime(clock)


def driver_clock(driver: Driver | AsyncDriver) -> Callable[[], float]:
    """Return the clock that processes on the driver's database share, or that of this process."""
    inner = getattr(driver, "inner", driver)
    engine = getattr(inner, "engine", inner)
    found: Callable[[], float] = getattr(engine, "shared_clock", time.time)
    return found
