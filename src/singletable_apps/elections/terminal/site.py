"""Elections on the web: the API and its pages in one app, for whoever serves it."""

from __future__ import annotations

from dataclasses import replace

from fastapi import FastAPI, Response
from starlette.responses import RedirectResponse

from singletable import Driver
from singletable_apps.elections.api import PREFIX, ApiSettings, make_elections_app
from singletable_apps.elections.api.settings import BODY_LIMIT
from singletable_apps.elections.pages import PREFIX as PAGES
from singletable_apps.elections.pages import add_pages
from singletable_apps.elections.service import Elections, Settings
from singletable_apps.elections.terminal.mailing import Letters
from singletable_apps.elections.terminal.opening import Place, elections_on
from singletable_apps.elections.terminal.trying import sample_of
from singletable_apps.shared.doors import Opened
from singletable_apps.shared.serving.public import Public

_WARNING = (
    "Back up the keys apart from the tables: without them sealed ballots cannot be counted, nor\n"
    "receipts be made."
)


def site_on(driver: Driver, place: Place, public: Public, letters: Letters) -> Opened:
    """The site on a driver that is open."""
    settings, api = settings_for(public)
    elections = elections_on(driver, place, settings, letters)
    places = (
        ("tables", place.at),
        ("letters", letters.words),
        ("keys", str(place.keys.resolve())),
    )
    return replace(site_of(elections, api), places=places, warning=_WARNING)


def settings_for(public: Public) -> tuple[Settings, ApiSettings]:
    """What service and API have to know of the address that people use."""
    web = public.settings(body_limit=BODY_LIMIT)
    return (
        Settings(reset_link=f"{public.url}{PAGES}/reset?token={{token}}"),
        ApiSettings(web=web, secure_cookies=public.secure_cookies),
    )


def site_of(elections: Elections, settings: ApiSettings) -> Opened:
    """The site of a service that is open."""
    return Opened(
        with_pages(elections, settings),
        prefixes=(PAGES, PREFIX, "/static/*/elections"),
        api=PREFIX,
        sample=lambda: sample_of(elections),
    )


def with_pages(elections: Elections, settings: ApiSettings) -> FastAPI:
    """The API of elections and their pages, to which the root leads."""
    uploads = {**settings.web.uploads, PAGES: BODY_LIMIT}
    chosen = replace(settings, web=replace(settings.web, uploads=uploads))
    app = make_elections_app(elections, settings=chosen)
    add_pages(app, elections, secure_cookies=chosen.secure_cookies)

    @app.get("/", include_in_schema=False)
    def begin() -> Response:
        return RedirectResponse(PAGES, 303)

    return app
