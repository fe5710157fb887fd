"""The clock that all processes on one SQL server share."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from dynamodb_engine.clocks import elapsed

_logger = logging.getLogger(__name__)
_REFRESH = 60.0  # seconds; two good clocks drift apart by a few milliseconds in this time
MAX_SKEW = 1.0  # seconds


class ServerClock:
    """The time of the server: seconds that pass here, and when the server says they began.

    The time of this process is used for a warning only. `measure` is called with every new
    connection, and whenever the clock `is_due`.
    """

    def __init__(
        self,
        server: str,
        *,
        elapsed: Callable[[], float] = elapsed,
        local: Callable[[], float] = time.time,
    ) -> None:
        self._server = server
        self._elapsed, self._local = elapsed, local
        self._began = local() - elapsed()
        self._measured = float("-inf")
        self._has_warned = False

    def now(self) -> float:
        """Return the time of the server."""
        return self._began + self._elapsed()

    @property
    def is_due(self) -> bool:
        """Return whether the last measurement is too old."""
        return self._elapsed() - self._measured > _REFRESH

    def measure(self, ask: Callable[[], float]) -> None:
        """Ask the server for its time, which it reads halfway between request and response."""
        before = self._elapsed()
        server = ask()
        after = self._elapsed()
        self._began = server - (before + after) / 2
        self._measured = after
        skew = self._local() - self.now()
        if abs(skew) > MAX_SKEW + (after - before) / 2 and not self._has_warned:
            self._has_warned = True
            _logger.warning(
                "The clock of this process is %.1f seconds %s that of %s. Tables, TTL, client "
                "tokens and leases follow the server's clock, but signatures, certificates and "
                "logs do not. Synchronize both machines (NTP).",
                abs(skew),
                "ahead of" if skew > 0 else "behind",
                self._server,
            )
