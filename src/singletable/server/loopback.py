"""Recognize loopback hosts, which only this machine can reach."""

from __future__ import annotations

import ipaddress

from singletable.errors import AddressError


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
