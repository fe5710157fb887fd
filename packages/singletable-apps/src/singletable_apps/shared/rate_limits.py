"""The rate limit of the apps: a moving window per key, counted in memory."""

from __future__ import annotations

from collections import OrderedDict, deque
from threading import Lock


class MovingWindow:
    """At most `quota` uses in any `seconds`, per key and process."""

    def __init__(self, quota: int, seconds: float) -> None:
        self.quota, self.seconds = quota, seconds
        # The least recently used key is first.
        self._uses: OrderedDict[object, deque[float]] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        """Return the number of keys in memory."""
        return len(self._uses)

    def take(self, key: object, now: float) -> float:
        """Count a use and return 0, or return how many seconds to wait for the next one."""
        with self._lock:
            times = self._current(key, now)
            if len(times) >= self.quota:
                return times[0] + self.seconds - now
            times.append(now)
            self._uses[key] = times
            self._uses.move_to_end(key)
            self._forget_expired(now)
            return 0.0

    def check(self, key: object, now: float) -> float:
        """Return how many seconds to wait for the next use; 0 for none."""
        with self._lock:
            times = self._current(key, now)
            return times[0] + self.seconds - now if len(times) >= self.quota else 0.0

    def remaining(self, key: object, now: float) -> tuple[int, float]:
        """Return how many uses are left, and in how many seconds there is one more."""
        with self._lock:
            times = self._current(key, now)
            return self.quota - len(times), times[0] + self.seconds - now if times else self.seconds

    def _current(self, key: object, now: float) -> deque[float]:
        times = self._uses.get(key, deque())
        while times and times[0] + self.seconds <= now:
            times.popleft()
        return times

    def _forget_expired(self, now: float) -> None:
        """Remove up to two keys without a use in the window; each use adds at most one."""
        for _ in range(2):
            key, times = next(iter(self._uses.items()))
            if times and times[-1] + self.seconds > now:
                return
            del self._uses[key]
