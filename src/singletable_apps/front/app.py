"""One app with everything: the home page, elections with their API, and the parts of pages."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

from fastapi import FastAPI, Request

from singletable_apps.elections.api import KINDS, PREFIX, ROUTERS, ApiSettings, attach
from singletable_apps.elections.api.app import ABOUT
from singletable_apps.elections.api.settings import BODY_LIMIT
from singletable_apps.elections.pages import PREFIX as ELECTIONS
from singletable_apps.elections.pages import add_pages
from singletable_apps.elections.service import Elections
from singletable_apps.front.finding import doors
from singletable_apps.front.home import home_router
from singletable_apps.shared.pages import Link, Pages, Product, parts
from singletable_apps.shared.web import make_app

PRODUCT = Product(
    "singletable",
    "/",
    "DynamoDB single-table design in Python.",
)


def make_front_app(elections: Elections, *, settings: ApiSettings | None = None) -> FastAPI:
    """The whole site on services that are open."""
    chosen = settings or ApiSettings()
    web = replace(chosen.web, uploads={ELECTIONS: BODY_LIMIT, "/parts": BODY_LIMIT})
    app = make_app(
        "Elections",
        version("singletable"),
        routers=ROUTERS,
        prefix=PREFIX,
        description=ABOUT,
        kinds=KINDS,
        settings=web,
    )
    attach(app, elections, replace(chosen, web=web))
    add_pages(app, elections, secure_cookies=chosen.secure_cookies)
    _add_front(app, elections, chosen)
    _add_parts(app, elections, chosen)
    return app


def _add_front(app: FastAPI, elections: Elections, settings: ApiSettings) -> None:
    pages = Pages(
        "front",
        Path(__file__).parent,
        secret=elections.office.keys.secret,
        product=PRODUCT,
        around=_around,
        made={"pictures.css": "\n".join({door.picture_style for door in doors()})},
        secure_cookies=settings.secure_cookies,
    )
    app.include_router(home_router(pages, elections), include_in_schema=False)
    pages.serve(app)


def _add_parts(app: FastAPI, elections: Elections, settings: ApiSettings) -> None:
    pages = Pages(
        "parts",
        secret=elections.office.keys.secret,
        product=PRODUCT,
        prefix="/parts",
        around=parts.around,
        made=parts.MADE,
        secure_cookies=settings.secure_cookies,
    )
    app.include_router(parts.parts_router(pages), include_in_schema=False)
    pages.serve(app)


def _around(request: Request) -> dict[str, object]:
    return {
        "nav": [Link(door.name, door.address) for door in doors()],
        "links": [Link("The API of elections", f"{PREFIX}/docs"), Link("Parts of pages", "/parts")],
    }
