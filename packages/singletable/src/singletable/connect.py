"""Open the driver for an address: `memory:`, `file:votes.db`, `postgresql:` and others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynamodb_engine.addresses import REMOTE, check_is_text, open_engine
from dynamodb_engine.errors import AddressError

if TYPE_CHECKING:  # drivers are imported when an address needs them
    from dynamodb_engine.engine import AsyncEngine, Engine, Settings
    from singletable.remote import AsyncRemote, Remote

_EXPECTED = (
    "Expected 'memory:', 'file:PATH', 'postgresql://USER@HOST/DATABASE', "
    "'mysql://USER@HOST/DATABASE', 'dynamodb:' or 'dynamodb+http://HOST:PORT'."
)


def connect(address: str, settings: Settings | None = None) -> Engine | Remote:
    """Open the driver for an address. Close it when done, or use it in a `with` block."""
    if _is_remote(address, settings):
        from singletable.remote import Remote

        return Remote.at(address)
    return open_engine(address, settings, expected=_EXPECTED)


def connect_async(address: str, settings: Settings | None = None) -> AsyncEngine | AsyncRemote:
    """Open the async driver for an address. Use it in an `async with` block."""
    if _is_remote(address, settings):
        from singletable.remote import AsyncRemote

        return AsyncRemote.at(address)
    from dynamodb_engine.engine import AsyncEngine

    return AsyncEngine(open_engine(address, settings, expected=_EXPECTED))


def _is_remote(address: str, settings: Settings | None) -> bool:
    check_is_text(address, _EXPECTED)
    kind, colon, _ = address.partition(":")
    if not colon or kind not in REMOTE:
        return False
    if settings is not None:
        raise AddressError(
            f"Settings are for our own engine ('memory:', 'file:PATH', 'postgresql:' or 'mysql:'), "
            f"not for '{kind}:'. "
            "Use address options instead, such as ?timeout=10."
        )
    return True
