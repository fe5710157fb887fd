"""The error of the skills directory, below those that all apps share."""

from __future__ import annotations

from singletable_apps.shared.errors import RequestRejected


class InUse(RequestRejected):
    """This cannot be deleted while others depend on it."""
