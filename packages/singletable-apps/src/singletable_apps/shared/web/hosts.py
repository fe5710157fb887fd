"""Recognize the server's own hosts, and loopback hosts, which only this machine can reach."""

from __future__ import annotations

import re
import socket
from contextlib import suppress
from functools import lru_cache
from ipaddress import ip_address

_HOST = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+))(?::[0-9]{1,5})?")


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach the host."""
    return _is_localhost(host) or (is_address(host) and ip_address(host).is_loopback)


def lan_address() -> str:
    """Return the address of this machine in its network, or an empty text. Nothing is sent."""
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))
        address = str(probe.getsockname()[0])
        return "" if is_loopback(address) else address
    return ""


@lru_cache(maxsize=256)
def is_allowed_host(header: str, public_host: str) -> bool:
    """Return whether a Host header is the server's own name, localhost or an IP address.

    A page of another site can make its own name resolve to this machine (DNS rebinding), but the
    browser then sends that name as the host.
    """
    name = host_name(header)
    return name == public_host or _is_localhost(name) or is_address(name)


def host_name(header: str) -> str:
    """Return the name in a Host header, without the port; empty if it is malformed."""
    match = _HOST.fullmatch(header)
    return (match[1] or match[2]).lower().removesuffix(".") if match else ""


def _is_localhost(name: str) -> bool:
    return name == "localhost" or name.endswith(".localhost")


def is_address(name: str) -> bool:
    """Return whether the text is an IP address."""
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
