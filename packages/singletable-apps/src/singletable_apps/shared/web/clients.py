"""The address of a client, and the rate limits of its requests."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network

from fastapi import Request, Response
from starlette.datastructures import Headers
from starlette.types import Scope

from singletable_apps.shared.languages import Phrase
from singletable_apps.shared.rate_limits import MovingWindow
from singletable_apps.shared.web.hosts import is_address
from singletable_apps.shared.web.problems import TOO_MANY_REQUESTS, Problem
from singletable_apps.shared.web.settings import site_of


class RateLimit:
    """At most `quota` requests in any `seconds`, per key and process."""

    def __init__(self, name: str, quota: int, seconds: int) -> None:
        self.name = name
        self._window = MovingWindow(quota, seconds)
        self._seconds = seconds
        self._policy = f'"{name}";q={quota};w={seconds}'

    def hit(self, key: str) -> dict[str, str]:
        """Count a request and return rate limit headers. Raise a 429 problem if over the quota."""
        now = time.time()
        return self._headers(key, now, self._window.take(key, now))

    def check(self, key: str) -> dict[str, str]:
        """Do the same without counting: for attempts that count only when they fail."""
        now = time.time()
        return self._headers(key, now, self._window.check(key, now))

    def _headers(self, key: str, now: float, excess: float) -> dict[str, str]:
        left, reset = self._window.remaining(key, now)
        wait = max(1, math.ceil(reset))
        # As in draft-ietf-httpapi-ratelimit-headers-10, structured fields.
        headers = {
            "RateLimit-Policy": self._policy,
            "RateLimit": f'"{self.name}";r={left};t={wait}',
        }
        if not excess:
            return headers
        raise Problem(
            TOO_MANY_REQUESTS,
            Phrase(
                "You can do this %(quota)s times in %(period)s. Try again in %(wait)s.",
                quota=self._window.quota,
                period=_duration(self._seconds),
                wait=_duration(wait),
            ),
            headers={**headers, "Retry-After": str(wait)},
        )


def _duration(seconds: int) -> Phrase:
    if seconds >= 3600:
        return Phrase("%(count)s hour", "%(count)s hours", count=-(-seconds // 3600))
    if seconds >= 60:
        return Phrase("%(count)s minute", "%(count)s minutes", count=-(-seconds // 60))
    return Phrase("%(count)s second", "%(count)s seconds", count=seconds)


@lru_cache(10_000)
def client_network(address: str) -> str:
    """Return the key of a client: an IPv4 address, or an IPv6 network of one customer (/64)."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address):
        if parsed.ipv4_mapped is not None:
            return str(parsed.ipv4_mapped)
        return f"{IPv6Address(int(parsed) >> 64 << 64)}/64"
    return str(parsed)


def add_rate_limit_headers(response: Response, headers: dict[str, str]) -> None:
    """Add rate limit headers to a response, beside those of other limits."""
    for name, value in headers.items():
        response.headers.append(name, value)


def client_address(request: Request) -> str:
    """Return the client's IP address, as far as proxies can be trusted."""
    return address_from_scope(request.scope, site_of(request.scope).settings.proxies)


def address_from_scope(scope: Scope, proxies: Sequence[str]) -> str:
    """Return the nearest address that is not one of our proxies."""
    client = scope.get("client")
    address: str = client[0] if client else "unknown"
    forwarded = ",".join(Headers(scope=scope).getlist("x-forwarded-for"))
    hops = [part.strip() for part in forwarded.split(",") if part.strip()]
    while hops and is_in_network(address, proxies):
        previous = hops.pop()
        if not is_address(previous):
            break
        address = previous
    return address


def is_in_network(address: str, networks: Sequence[str]) -> bool:
    """Return whether an address is in one of the networks."""
    if not is_address(address):
        return False
    parsed = ip_address(address)
    # A dual-stack server reports IPv4 addresses as IPv6.
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is not None:
        parsed = parsed.ipv4_mapped
    return any(parsed in ip_network(network) for network in networks)
