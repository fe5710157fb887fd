"""Drivers for the endpoint of the tests."""

from __future__ import annotations

from functools import cache

from singletable import Remote
from singletable.remote.address import ConnectionOptions, parse_address
from singletable.remote.config import ResolvedConfig, resolve_config


def remote_driver(address: str) -> Remote:
    """Return a new driver. Each address is resolved once, which takes longer than most tests."""
    return Remote(*_resolve(address))


@cache
def _resolve(address: str) -> tuple[ResolvedConfig, ConnectionOptions]:
    options = parse_address(address)
    return resolve_config(options), options
