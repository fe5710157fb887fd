"""The front with elections behind it, on a service that is open."""

from __future__ import annotations

from starlette.types import ASGIApp

from singletable_apps.elections.api import ApiSettings
from singletable_apps.elections.app import app_info, site_of
from singletable_apps.elections.service import Elections
from singletable_apps.home import ServedApp, make_site_app


def front_of(elections: Elections, settings: ApiSettings | None = None) -> ASGIApp:
    """The site."""
    chosen = settings or ApiSettings()
    served = ServedApp(app_info(), site_of(elections, chosen))
    return make_site_app([served], settings=chosen.web)
