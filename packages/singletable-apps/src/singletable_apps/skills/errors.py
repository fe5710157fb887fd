"""The errors of the skills directory: those that all apps share, and one of its own."""

from __future__ import annotations

from singletable_apps.shared.accounts import NotSignedIn
from singletable_apps.shared.errors import (
    AlreadyExists,
    AppError,
    Busy,
    InvalidInput,
    NotFound,
    RequestRejected,
)
from singletable_apps.shared.permissions import NotPermitted

__all__ = [
    "AlreadyExists",
    "AppError",
    "Busy",
    "InUse",
    "InvalidInput",
    "NotFound",
    "NotPermitted",
    "NotSignedIn",
    "RequestRejected",
]


class InUse(RequestRejected):
    """This cannot be deleted while others depend on it."""
