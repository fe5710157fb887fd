"""The front with elections behind it, on a service that is open."""

from __future__ import annotations

from starlette.types import ASGIApp

from singletable_apps.elections.api import ApiSettings
from singletable_apps.elections.door import door
from singletable_apps.elections.service import Elections
from singletable_apps.elections.terminal.site import site_of
from singletable_apps.front import Served, make_front_app


def front_of(elections: Elections, settings: ApiSettings | None = None) -> ASGIApp:
    """The site."""
    chosen = settings or ApiSettings()
    served = Served(door(), site_of(elections, chosen))
    return make_front_app([served], settings=chosen.web, secure_cookies=chosen.secure_cookies)
