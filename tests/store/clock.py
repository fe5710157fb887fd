"""A clock that stands still until it is advanced."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class Clock:
    """The clock of a store."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **amount: float) -> datetime:
        """Advance the clock, and return the new time."""
        self.now += timedelta(**amount)
        return self.now
