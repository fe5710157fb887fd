"""The base class of the errors of the apps."""

from __future__ import annotations


class AppError(Exception):
    """An expected error whose message says what to do; a command prints just the message."""
