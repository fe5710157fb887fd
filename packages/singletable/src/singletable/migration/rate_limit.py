"""Limit the capacity units that a migration consumes per second.

The limit is adaptive: it is halved when DynamoDB throttles, and recovers by a few percent a second,
so that a migration yields to the application. The units are those that DynamoDB reports.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from threading import Lock
from typing import Any, TypeVar

from msgspec.structs import replace

from dynamodb_engine.operations import ConsumedCapacity, Driver, Operation
from singletable.errors import InvalidValue, Throttled

R = TypeVar("R")

RECOVERY_PER_SECOND = 1.05
MIN_RATE = 1.0


class RateLimit:
    """A token bucket of capacity units, with a second of burst; safe to use from many threads.

    Without `units_per_second` there is no limit until the first throttling.
    """

    def __init__(self, units_per_second: float | None, clock: Callable[[], float]) -> None:
        if units_per_second is not None and units_per_second < MIN_RATE:
            raise InvalidValue(f"rate: expected at least 1 unit a second, got {units_per_second}.")
        self.limit = units_per_second
        self.rate = units_per_second
        self.consumed = 0.0
        self.throttled = 0
        self._clock = clock
        self._started = self._updated = clock()
        self._balance = 0.0
        self._lock = Lock()

    def delay(self) -> float:
        """Return the seconds to wait before the next request."""
        with self._lock:
            self._refill()
            if self.rate is None or self._balance >= 0:
                return 0.0
            return -self._balance / self.rate

    def spend(self, units: float) -> None:
        """Record the units that a request consumed."""
        with self._lock:
            self.consumed += units
            if self.rate is not None:
                self._balance -= units

    def slow_down(self) -> None:
        """Halve the rate, because a request was throttled."""
        with self._lock:
            self._refill()
            self.throttled += 1
            rate = self.rate
            if rate is None:
                rate = self.consumed / max(self._updated - self._started, 1.0)
            self.rate = max(rate / 2, MIN_RATE)
            self._balance = min(self._balance, 0.0)

    def _refill(self) -> None:
        now = self._clock()
        elapsed, self._updated = max(now - self._updated, 0.0), now
        if self.rate is None:
            return
        self._balance = min(self._balance + self.rate * elapsed, self.rate)
        if self.limit is None or self.rate < self.limit:
            # Capped, because a long pause says nothing about how much the table can take.
            grown = self.rate * RECOVERY_PER_SECOND ** min(elapsed, 60.0)
            self.rate = grown if self.limit is None else min(grown, self.limit)


class RateLimitedDriver:
    """Waits before each request as long as the limit says, and records what it consumed."""

    def __init__(self, driver: Driver, limit: RateLimit, sleep: Callable[[float], object]) -> None:
        self._driver = driver
        self._limit = limit
        self._sleep = sleep

    def execute(self, operation: Operation[R], /) -> R:
        """Execute a request when the limit allows it."""
        if (delay := self._limit.delay()) > 0:
            self._sleep(delay)
        request: Any = operation
        if getattr(request, "return_consumed_capacity", "") is None:
            request = replace(request, return_consumed_capacity="TOTAL")
        try:
            output: Any = self._driver.execute(request)
        except Throttled:
            self._limit.slow_down()
            raise
        self._limit.spend(consumed_units(getattr(output, "consumed_capacity", None)))
        return output  # type: ignore[no-any-return]


def consumed_units(consumed: ConsumedCapacity | Iterable[ConsumedCapacity] | None) -> float:
    """Return the units in the `consumed_capacity` of an output."""
    if consumed is None:
        return 0.0
    if isinstance(consumed, ConsumedCapacity):
        return consumed.capacity_units
    return sum(one.capacity_units for one in consumed)
