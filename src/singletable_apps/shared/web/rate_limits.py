"""How often somebody may ask: quotas in moving windows, and what is left of them."""

from __future__ import annotations

import math
import time
from ipaddress import IPv6Address, ip_address
from threading import Lock

from fastapi import Response
from limits import RateLimitItemPerSecond
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

from singletable_apps.shared.web.problems import TOO_MANY_REQUESTS, Problem

MANY = 10_000


class RateLimit:
    """At most `quota` requests in any `seconds`, counted for each one who asks, in this process."""

    def __init__(self, name: str, quota: int, seconds: int) -> None:
        self.name = name
        self._item = RateLimitItemPerSecond(quota, seconds)
        self._storage = MemoryStorage()
        self._limiter = MovingWindowRateLimiter(self._storage)
        self._lock = Lock()
        self._swept_at = MANY
        self._policy = f'"{name}";q={quota};w={seconds}'

    def hit(self, who: str) -> dict[str, str]:
        """Count one request of somebody: headers that say what is left, or a 429 problem."""
        with self._lock:
            allowed = self._limiter.hit(self._item, self.name, who)
            self._sweep()
        return self._told(who, allowed=allowed)

    def check(self, who: str) -> dict[str, str]:
        """The same, counting nothing: for what is counted only if it fails, as a guess is."""
        with self._lock:
            allowed = self._limiter.test(self._item, self.name, who)
        return self._told(who, allowed=allowed)

    def _told(self, who: str, *, allowed: bool) -> dict[str, str]:
        with self._lock:
            window = self._limiter.get_window_stats(self._item, self.name, who)
        wait = max(1, math.ceil(window.reset_time - time.time()))
        left = max(0, window.remaining) if allowed else 0
        # As in draft-ietf-httpapi-ratelimit-headers-10, structured fields.
        headers = {
            "RateLimit-Policy": self._policy,
            "RateLimit": f'"{self.name}";r={left};t={wait}',
        }
        if allowed:
            return headers
        raise Problem(
            TOO_MANY_REQUESTS,
            f"The quota of {self._item.amount} requests in {self._item.get_expiry()} seconds is "
            f"used up. Try again in {wait} seconds.",
            headers={**headers, "Retry-After": str(wait)},
        )

    def _sweep(self) -> None:
        """Forget who has not asked for long: the library keeps an empty list for each of them."""
        events = self._storage.events
        if len(events) < self._swept_at:
            return
        for who in [who for who, times in list(events.items()) if not times]:
            events.pop(who, None)
        self._swept_at = max(MANY, 2 * len(events))


def client_network(address: str) -> str:
    """Whose address it is: with IPv6 a household has 2^64 of them, so the first half tells."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if isinstance(found, IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return f"{IPv6Address(int(found) >> 64 << 64)}/64"
    return str(found)


def add_rate_limit_headers(response: Response, headers: dict[str, str]) -> None:
    """Say in an answer what is left, beside what other limits say."""
    for name, value in headers.items():
        response.headers.append(name, value)
