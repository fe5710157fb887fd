"""The error of the portfolio, below those that all apps share."""

from __future__ import annotations

from singletable_apps.shared.errors import RequestRejected


class SwitchedOff(RequestRejected):
    """The owner of the site has switched this off."""
