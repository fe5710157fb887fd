"""Warnings about a declaration, told where it stands."""

from __future__ import annotations

import sys
import warnings


class DeclarationWarning(UserWarning):
    """A declaration that works, but may not mean what it says."""


def warn(text: str) -> None:
    """Warn at the line outside of this room from which it was entered."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and _is_ours(frame.f_globals.get("__name__", "")):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, DeclarationWarning, stacklevel=level)


def _is_ours(module: str) -> bool:
    return module.startswith("singletable.schema")
