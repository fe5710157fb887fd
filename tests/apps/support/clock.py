"""A clock that tests move."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta


class Clock:
    """A clock that is moved; unless it stands, nobody sees the same moment twice."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, 12, tzinfo=UTC)
        self.stands = False
        self._lock = threading.Lock()

    def __call__(self) -> datetime:
        with self._lock:
            if not self.stands:
                self.now += timedelta(microseconds=1)
            return self.now

    def move(self, **amount: float) -> None:
        """Let time pass."""
        with self._lock:
            self.now += timedelta(**amount)
