"""What may be spent on sending again, shared by all requests of one client.

A service that is down answers nothing better to those who ask ten times as often. So a client that
meets failure after failure soon sends each request once, and only success earns patience back. The
amounts are those of the AWS SDKs' standard mode.
"""

from __future__ import annotations

FULL = 500
A_RETRY = 5
A_SUCCESS = 1


class Quota:
    """Tokens that a retry costs and a success earns."""

    def __init__(self, full: int = FULL) -> None:
        self._full = full
        self.left = full

    def spend(self) -> bool:
        """Pay for one retry; False if there is too little left."""
        if self.left < A_RETRY:
            return False
        self.left -= A_RETRY
        return True

    def earn(self, *, retried: bool) -> None:
        """Note a success: it gives back what its last retry cost, or a little."""
        if self.left < self._full:
            self.left = min(self._full, self.left + (A_RETRY if retried else A_SUCCESS))
