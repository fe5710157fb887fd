"""Recognize loopback hosts, which only this machine can reach, and requests from web pages."""

from __future__ import annotations

import ipaddress
import re
from functools import lru_cache

from dynamodb_engine.errors import AccessDenied, AddressError
from dynamodb_engine.wire import HttpRequest

_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::[0-9]*)?", re.IGNORECASE)


def check_host(host: str, *, guarded: bool) -> None:
    """Raise AddressError if other machines could reach an endpoint that has no credentials."""
    if guarded or is_loopback(host):
        return
    raise AddressError(
        f"Other machines can reach '{host}', and without credentials anyone there could read and "
        "change the tables. Listen on 127.0.0.1, or pass a credentials file with --credentials."
    )


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach the host."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_local_request(request: HttpRequest, allowed_hosts: frozenset[str]) -> None:
    """Raise AccessDenied if a web page of another site may have sent the request.

    A page can make its own domain name resolve to this machine (DNS rebinding), and then the
    browser lets it read the responses. But the browser sends that name as the host, so a request to
    localhost or an IP address does not come from such a page.
    """
    host = request.headers.get("host")
    if host is not None and not _is_allowed(host, allowed_hosts):
        raise AccessDenied(
            "Requests without a signature must be sent to localhost or an IP address, but the host "
            f"of this one is '{host[:255]}'. If you trust that name, allow it with --allow-host."
        )
    origin = request.headers.get("origin")
    if origin is None:
        return
    scheme, _, site = origin.partition("://")
    if scheme in ("http", "https") and not _is_allowed(site, allowed_hosts):
        raise AccessDenied(
            "Requests without a signature must not come from a web page, but this one comes from "
            f"'{origin[:255]}'. If you trust that site, allow its host with --allow-host."
        )


@lru_cache(maxsize=256)
def _is_allowed(host: str, allowed_hosts: frozenset[str]) -> bool:
    match = _HOST.fullmatch(host)
    if match is None:
        return False
    name = (match[1] or match[2]).lower().removesuffix(".")
    if name == "localhost" or name.endswith(".localhost") or name in allowed_hosts:
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
