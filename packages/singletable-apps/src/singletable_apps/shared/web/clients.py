"""The address of a client, and rate limits per client."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from ipaddress import IPv6Address, ip_address, ip_network

from fastapi import Request, Response
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from singletable_apps.shared.web.hosts import is_address
from singletable_apps.shared.web.problems import Problem, problem_response
from singletable_apps.shared.web.rate_limits import (
    RateLimit,
    add_rate_limit_headers,
    client_network,
)
from singletable_apps.shared.web.settings import site_of


def client_address(request: Request) -> str:
    """Return the client's IP address, as far as proxies can be trusted."""
    return address_from_scope(request.scope, site_of(request.scope).settings.proxies)


def hit_limit(request: Request, limit: RateLimit | None) -> None:
    """Count a request of this client, and raise a 429 problem if there are too many."""
    if limit is not None:
        limit.hit(client_network(client_address(request)))


def check_limit(request: Request, limit: RateLimit | None) -> None:
    """Do the same without counting: for attempts that count only when they fail."""
    if limit is not None:
        limit.check(client_network(client_address(request)))


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


def rate_limited(
    select: Callable[[Request], RateLimit | None],
) -> Callable[[Request, Response], None]:
    """Return a dependency that limits requests per client: `Depends(rate_limited(select))`.

    `select` returns the limit that applies to a request, usually from settings in `app.state`.
    """

    def count(request: Request, response: Response) -> None:
        limit = select(request)
        if limit is not None:
            add_rate_limit_headers(response, limit.hit(client_network(client_address(request))))

    return count


class RateLimits:
    """Limits all requests of a client."""

    def __init__(self, app: ASGIApp, limit: RateLimit) -> None:
        self.app = app
        self.limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with rate limit headers, or reject it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        site = site_of(scope)
        try:
            headers = self.limit.hit(
                client_network(address_from_scope(scope, site.settings.proxies))
            )
        except Problem as problem:
            await problem_response(problem, scope, site.prefix)(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                for name, value in headers.items():
                    MutableHeaders(scope=message).append(name, value)
            await send(message)

        await self.app(scope, receive, send_with_headers)


def is_in_network(address: str, networks: Sequence[str]) -> bool:
    """Return whether an address is in one of the networks."""
    if not is_address(address):
        return False
    parsed = ip_address(address)
    # A dual-stack server reports IPv4 addresses as IPv6.
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is not None:
        parsed = parsed.ipv4_mapped
    return any(parsed in ip_network(network) for network in networks)
