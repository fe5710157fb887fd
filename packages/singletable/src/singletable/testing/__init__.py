"""A pytest plugin and test doubles for apps: fresh stores and a clock."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from singletable.testing.stores import AsyncStoreFactory as AsyncStoreFactory
    from singletable.testing.stores import StoreClock as StoreClock
    from singletable.testing.stores import StoreFactory as StoreFactory
    from singletable.testing.strict import undeclared as undeclared

_MODULES = {
    "AsyncStoreFactory": "stores",
    "StoreClock": "stores",
    "StoreFactory": "stores",
    "undeclared": "strict",
}


def __getattr__(name: str) -> object:
    """Import a public name on first use: every run of pytest imports this package."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
