"""The clock of the tour: the real time, until the tour skips some of it."""

from __future__ import annotations

import time


class TourClock:
    """Call it for the seconds since the epoch; `skip` lets hours pass in no time."""

    def __init__(self) -> None:
        self._ahead = 0.0

    def __call__(self) -> float:
        """The seconds since the epoch, and those that were skipped."""
        return time.time() + self._ahead

    def skip(self, seconds: float) -> None:
        """Let so many seconds pass."""
        self._ahead += seconds
