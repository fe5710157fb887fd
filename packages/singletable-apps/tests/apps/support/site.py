"""The whole site with the elections app on an open service."""

from __future__ import annotations

from starlette.types import ASGIApp

from singletable_apps.elections.app import APP
from singletable_apps.elections.service import Elections
from singletable_apps.home.app import make_site_app
from singletable_apps.shared.apps import RunningApp
from singletable_apps.shared.web import Settings


def make_elections_site(elections: Elections, *, is_public: bool = False) -> ASGIApp:
    """Return a site with elections as its only app. A public one needs TLS and has rate limits."""
    web = Settings(secure_cookies=is_public)
    app = APP.make_app(elections, web, limited=is_public)
    prefixes = (APP.prefix, APP.api, f"/static/*/{APP.name}")
    info, sample = APP.app_info(), lambda: APP.list_sample(elections)
    return make_site_app([RunningApp(info, app, prefixes, APP.api, sample=sample)], settings=web)
