"""Rate limits of a credential: requests, read units and write units per second.

Each limit is a token bucket with a capacity of one second, and of at least one request. The units
of a request are known only after it was executed, so a request is accepted while any units are
left, and a deficit delays the following requests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from dynamodb_engine.errors import RequestLimitExceeded, Throttled
from dynamodb_engine.operations import ConsumedCapacity, Operation
from dynamodb_engine.operations.registry import OPERATIONS, is_write
from dynamodb_engine.server.observe.exchange import UnitKind, unit_kind

# AWS's own texts.
TOO_MANY_REQUESTS = "Rate of requests exceeds the allowed throughput."
TOO_MANY_UNITS = (
    "Throughput exceeds the current throughput limit for your account. To request a limit "
    "increase, contact AWS Support at https://aws.amazon.com/support."
)


@dataclass(frozen=True, slots=True)
class RateLimits:
    """The limits of a credential per second; None means unlimited."""

    requests: float | None = None
    read_units: float | None = None
    write_units: float | None = None


UNLIMITED = RateLimits()


class RateLimiter:
    """Enforces the limits of one credential; `limits_units` means that requests are metered."""

    def __init__(self, limits: RateLimits, clock: Callable[[], float]) -> None:
        self.limits_units = limits.read_units is not None or limits.write_units is not None
        self._requests = TokenBucket(limits.requests, clock)
        self._units: dict[UnitKind, TokenBucket] = {
            "read": TokenBucket(limits.read_units, clock),
            "write": TokenBucket(limits.write_units, clock),
        }

    def check(self, operation: Operation[object]) -> None:
        """Count a request; raise Throttled if there are too many, or if no units are left."""
        if self._requests.left() < 1:
            raise Throttled(TOO_MANY_REQUESTS)
        self._requests.take(1)
        spec = OPERATIONS.get(type(operation))
        if spec is None or spec.scope != "items":
            return
        if self._units["write" if is_write(operation) else "read"].left() <= 0:
            raise RequestLimitExceeded(TOO_MANY_UNITS)

    def charge(self, operation: Operation[object], consumed: Iterable[ConsumedCapacity]) -> None:
        """Take the units consumed by an operation."""
        for capacity in consumed:
            self._units[unit_kind(capacity, operation)].take(capacity.capacity_units)


class TokenBucket:
    """A token bucket that refills at `rate` per second; without a rate it is never empty."""

    def __init__(self, rate: float | None, clock: Callable[[], float]) -> None:
        self._rate = float("inf") if rate is None else rate
        self._capacity = max(self._rate, 1)
        self._tokens = self._capacity
        self._clock = clock
        self._updated = clock()

    def left(self) -> float:
        """Return the remaining tokens, negative after a deficit."""
        now = self._clock()
        # If the clock was set back, refill from the new time on.
        elapsed = max(0.0, now - self._updated)
        self._updated = now
        if elapsed:
            self._tokens = min(self._capacity, self._tokens + elapsed * self._rate)
        return self._tokens

    def take(self, tokens: float) -> None:
        """Take tokens, into a deficit if necessary."""
        self._tokens -= tokens
