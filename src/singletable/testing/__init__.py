"""A pytest plugin for apps: fresh stores, faults on demand, and no pattern that is not declared."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from singletable.testing.clock import StoreClock
    from singletable.testing.makers import MakeAsyncStore, MakeStore
    from singletable.testing.strict import undeclared

__all__ = ["MakeAsyncStore", "MakeStore", "StoreClock", "undeclared"]

# Fetched when asked for: every run of pytest enters this room, and few need what is in it.
_FILE_OF = {
    "MakeAsyncStore": "makers",
    "MakeStore": "makers",
    "StoreClock": "clock",
    "undeclared": "strict",
}


def __getattr__(name: str) -> object:
    """What is public here, fetched from its file."""
    if name not in _FILE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_FILE_OF[name]}"), name)
