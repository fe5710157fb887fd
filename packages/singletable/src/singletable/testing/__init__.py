"""A pytest plugin and test doubles for apps: fresh stores, a clock, crashes and an endpoint."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from singletable.testing.drivers import AsyncInterruptedDriver as AsyncInterruptedDriver
    from singletable.testing.drivers import Crash as Crash
    from singletable.testing.drivers import InterruptedDriver as InterruptedDriver
    from singletable.testing.drivers import InterruptibleDriver as InterruptibleDriver
    from singletable.testing.endpoint_thread import endpoint as endpoint
    from singletable.testing.stores import AsyncStoreFactory as AsyncStoreFactory
    from singletable.testing.stores import StoreClock as StoreClock
    from singletable.testing.stores import StoreFactory as StoreFactory
    from singletable.testing.strict import undeclared as undeclared

_MODULES = {
    "AsyncInterruptedDriver": "drivers",
    "AsyncStoreFactory": "stores",
    "Crash": "drivers",
    "InterruptedDriver": "drivers",
    "InterruptibleDriver": "drivers",
    "StoreClock": "stores",
    "StoreFactory": "stores",
    "endpoint": "endpoint_thread",
    "undeclared": "strict",
}


def __getattr__(name: str) -> object:
    """Import a public name on first use: every run of pytest imports this package."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
