"""A clock that stands still until it is advanced."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class Clock:
    """What a store takes for the time."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **amount: float) -> datetime:
        """Let time pass; what it is then."""
        self.now += timedelta(**amount)
        return self.now
