"""The address of a client, and rate limits per client."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from ipaddress import IPv6Address, ip_address, ip_network

from fastapi import Request, Response
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from singletable_apps.shared.web.problems import Problem, problem_response
from singletable_apps.shared.web.rate_limits import (
    RateLimit,
    add_rate_limit_headers,
    client_network,
)
from singletable_apps.shared.web.settings import site_of


def client_address(request: Request) -> str:
    """The address of who asks, as far as it can be believed."""
    return key_of(request.scope, site_of(request.scope).settings.proxies)


def key_of(scope: Scope, proxies: Sequence[str]) -> str:
    """The nearest address that is none of our proxies, for only they are believed."""
    client = scope.get("client")
    address: str = client[0] if client else "unknown"
    forwarded = ",".join(Headers(scope=scope).getlist("x-forwarded-for"))
    before = [part.strip() for part in forwarded.split(",") if part.strip()]
    while before and _is_in(address, proxies):
        following = before.pop()
        if not _is_address(following):
            break
        address = following
    return address


def rate_limited(limit: RateLimit) -> Callable[[Request, Response], None]:
    """A dependency that counts requests of one address: `dependencies=[Depends(limited(…))]`."""

    def count(request: Request, response: Response) -> None:
        add_rate_limit_headers(response, limit.hit(client_network(client_address(request))))

    return count


class RateLimits:
    """Middleware that counts all requests of one address."""

    def __init__(self, app: ASGIApp, limit: RateLimit) -> None:
        self.app = app
        self.limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through, and say what is left; or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        site = site_of(scope)
        try:
            headers = self.limit.hit(client_network(key_of(scope, site.settings.proxies)))
        except Problem as problem:
            await problem_response(problem, scope, site.prefix)(scope, receive, send)
            return

        async def tell(message: Message) -> None:
            if message["type"] == "http.response.start":
                for name, value in headers.items():
                    MutableHeaders(scope=message).append(name, value)
            await send(message)

        await self.app(scope, receive, tell)


def _is_in(address: str, networks: Sequence[str]) -> bool:
    """Whether an address is in one of the networks."""
    if not _is_address(address):
        return False
    found = ip_address(address)
    # A server that listens to both kinds of addresses tells the old ones in the form of the new.
    if isinstance(found, IPv6Address) and found.ipv4_mapped is not None:
        found = found.ipv4_mapped
    return any(found in ip_network(network) for network in networks)


def _is_address(text: str) -> bool:
    """Whether a text is an address at all."""
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
