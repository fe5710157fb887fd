"""The address of a client, and rate limits per client."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv6Address, ip_address, ip_network

from fastapi import Request
from starlette.datastructures import Headers
from starlette.types import Scope

from singletable_apps.shared.web.hosts import is_address
from singletable_apps.shared.web.rate_limits import RateLimit, client_network
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


def is_in_network(address: str, networks: Sequence[str]) -> bool:
    """Return whether an address is in one of the networks."""
    if not is_address(address):
        return False
    parsed = ip_address(address)
    # A dual-stack server reports IPv4 addresses as IPv6.
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is not None:
        parsed = parsed.ipv4_mapped
    return any(parsed in ip_network(network) for network in networks)
