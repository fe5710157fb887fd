"""The elections pages: one module per topic, with templates in `templates/elections`."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from fastapi import APIRouter, FastAPI

from singletable_apps.elections.pages.dependencies import PREFIX, PROBLEM_PAGES, Site, make_site
from singletable_apps.elections.service import Elections

__all__ = ["PREFIX", "Site", "add_pages", "make_site"]


def add_pages(app: FastAPI, elections: Elections) -> Site:
    """Add the pages to an app: the router of every module here."""
    site = make_site(elections, PROBLEM_PAGES)
    app.state.election_pages = site
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        router = getattr(import_module(module.name), "router", None)
        if isinstance(router, APIRouter):
            app.include_router(router, prefix=PREFIX, include_in_schema=False)
    site.pages.mount(app)
    return site
