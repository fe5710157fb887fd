"""The pages of the portfolio: one module per topic, with templates in `templates/portfolio`."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from fastapi import APIRouter, FastAPI

from singletable_apps.portfolio.limits import Limits
from singletable_apps.portfolio.pages.dependencies import PortfolioSite, make_site
from singletable_apps.portfolio.pages.public import show_home, show_problem
from singletable_apps.portfolio.service import PortfolioService
from singletable_apps.shared.web import COMMON

__all__ = ["PortfolioSite", "add_pages", "make_site"]


def add_pages(
    app: FastAPI, service: PortfolioService, limits: Limits | None = None
) -> PortfolioSite:
    """Add the pages to an app: the router of every module here."""
    site = make_site(service, limits or Limits(), dict.fromkeys(COMMON, show_problem))
    app.state.portfolio_pages = site
    prefix = service.context.urls.prefix
    if prefix:
        app.get(prefix, include_in_schema=False)(show_home)
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        router = getattr(import_module(module.name), "router", None)
        if isinstance(router, APIRouter):
            app.include_router(router, prefix=prefix, include_in_schema=False)
    site.pages.mount(app)
    return site
