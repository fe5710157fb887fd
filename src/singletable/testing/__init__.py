"""A pytest plugin for apps: fresh stores, a fixed clock, fault injection and strict patterns."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from singletable.testing.stores import AsyncStoreFactory, StoreClock, StoreFactory
    from singletable.testing.strict import undeclared

__all__ = ["AsyncStoreFactory", "StoreClock", "StoreFactory", "undeclared"]


def __getattr__(name: str) -> object:
    """Import a public name on first use: every run of pytest imports this package."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = "strict" if name == "undeclared" else "stores"
    return getattr(importlib.import_module(f"{__name__}.{module}"), name)
