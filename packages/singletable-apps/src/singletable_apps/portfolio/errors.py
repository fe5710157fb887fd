"""The errors of the portfolio: those that all apps share, and one of its own."""

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
    "AlreadyTaken",
    "AppError",
    "Busy",
    "InvalidInput",
    "NotFound",
    "NotPermitted",
    "NotSignedIn",
    "RequestRejected",
    "SwitchedOff",
]

# Another post has the slug, or another account has the e-mail address.
AlreadyTaken = AlreadyExists


class SwitchedOff(RequestRejected):
    """The owner of the site has switched this off."""
