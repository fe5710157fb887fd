"""The root of what apps refuse."""

from __future__ import annotations


class AppError(Exception):
    """Refused in words that somebody can act on: a command ends with them, and shows no more."""
