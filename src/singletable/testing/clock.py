"""A clock that stands still until a test moves it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


class StoreClock:
    """The time for stores and their engine: noon of the first day of 2026, until it is moved."""

    def __init__(self, now: datetime = NOON) -> None:
        self.now = now

    def __call__(self) -> datetime:
        """The time, as a store asks for it."""
        return self.now

    def seconds(self) -> float:
        """The time, as an engine asks for it."""
        return self.now.timestamp()

    def move(self, **by: float) -> datetime:
        """Move it, `clock.move(hours=2)`, and give the new time."""
        self.now += timedelta(**by)
        return self.now
