"""The pages of the portfolio: one module per topic, with templates in `templates/portfolio`."""

from __future__ import annotations

from fastapi import APIRouter, FastAPI

from singletable_apps.portfolio.limits import Limits
from singletable_apps.portfolio.pages import accounts, admin, feeds, media, posts, public
from singletable_apps.portfolio.pages.dependencies import PortfolioSite, make_site
from singletable_apps.portfolio.pages.public_page import show_problem
from singletable_apps.portfolio.service import PortfolioService
from singletable_apps.shared.web import COMMON, CachedRoute, ResponseCache

__all__ = ["PortfolioSite", "add_pages", "make_site"]

# Routes are tried in this order: what readers request comes first.
_MODULES = (posts, media, public, feeds, accounts, admin)


def add_pages(
    app: FastAPI, service: PortfolioService, limits: Limits | None = None
) -> PortfolioSite:
    """Add the pages to an app."""
    urls = service.context.urls
    site = make_site(service, limits or Limits(), dict.fromkeys(COMMON, show_problem))
    app.state.portfolio_pages = site
    app.state.response_cache = ResponseCache(service.context.writes, service.context.clock)
    for module in _MODULES:
        app.include_router(module.router, prefix=urls.prefix, include_in_schema=False)
    # The first page is at the prefix itself, which may be empty.
    first = APIRouter(route_class=CachedRoute, include_in_schema=False)
    first.add_api_route(urls.page(), public.show_home)
    app.include_router(first)
    site.pages.mount(app)
    return site
