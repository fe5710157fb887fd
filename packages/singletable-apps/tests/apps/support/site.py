"""The whole site with the elections app on an open service."""

from __future__ import annotations

from starlette.types import ASGIApp

from singletable_apps.elections.api import ApiSettings
from singletable_apps.elections.app import app_info, site_of
from singletable_apps.elections.service import Elections
from singletable_apps.home.app import make_site_app
from singletable_apps.home.apps import ServedApp


def make_elections_site(elections: Elections, settings: ApiSettings | None = None) -> ASGIApp:
    """Return a site with elections as its only app."""
    chosen = settings or ApiSettings()
    served = ServedApp(app_info(), site_of(elections, chosen))
    return make_site_app([served], settings=chosen.web)
