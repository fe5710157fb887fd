"""Which addresses only this machine can reach."""

from __future__ import annotations

import ipaddress

from singletable.errors import AddressError


def check_address(host: str, *, guarded: bool) -> None:
    """Raise AddressError if others could reach the endpoint without being asked who they are."""
    if guarded or is_loopback(host):
        return
    raise AddressError(
        f"'{host}' can be reached from other machines, and without credentials anyone there could "
        "read and change the tables. Listen on 127.0.0.1, or give a file of credentials with "
        "--credentials."
    )


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
