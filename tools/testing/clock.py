"""A clock that stands still until a test sets it."""

from __future__ import annotations

from dataclasses import dataclass

NOON = 1_750_000_000.0


@dataclass
class Clock:
    """Pass it to `Settings(clock=…)` and set `now`."""

    now: float = NOON

    def __call__(self) -> float:
        return self.now
