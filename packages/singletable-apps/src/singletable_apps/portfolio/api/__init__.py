"""The API of the portfolio: `make_portfolio_app(service, settings=…)` serves `/api/portfolio`."""

from __future__ import annotations

from importlib.metadata import version

from fastapi import FastAPI

from singletable_apps.portfolio.api import auth, blogs, site
from singletable_apps.portfolio.api.dependencies import (
    ERRORS,
    PROBLEM_TYPES,
    UPLOADS,
    Api,
    ApiSettings,
)
from singletable_apps.portfolio.limits import Limits
from singletable_apps.portfolio.service import PortfolioService
from singletable_apps.portfolio.urls import API
from singletable_apps.shared.web import ERROR_MEMBER, make_app

__all__ = ["API", "UPLOADS", "ApiSettings", "Limits", "attach", "make_portfolio_app"]

_ROUTERS = (
    site.router,
    blogs.router,
    blogs.history_router,
    blogs.likes_router,
    blogs.comments_router,
    blogs.moderation_router,
    site.contact_router,
    site.catalog_router,
    site.stats_router,
    site.media_router,
    auth.router,
    auth.users_router,
)
_ABOUT = (
    "A personal site and its blog.\n\n"
    'Every success is `{"success": true, "data": …}`, and every error is a problem (RFC 9457) with '
    "the additional member `error`. Times are in Unix seconds. Lists take `limit` and `last_key`.\n"
    "\n"
    "Sign in to get an `access_token`, and send it as `Authorization: Bearer …`. It lasts a few "
    "minutes; `POST /auth/refresh` renews it. Posts, the portfolio and the settings have an ETag: "
    "send it as If-Match when you change one, or your change overwrites what others have changed "
    "in the meantime."
)


def make_portfolio_app(
    service: PortfolioService, *, settings: ApiSettings | None = None
) -> FastAPI:
    """Return the app of the API for a service."""
    chosen = settings or ApiSettings()
    app = make_app(
        "Portfolio",
        version("singletable"),
        routers=_ROUTERS,
        prefix=API,
        description=_ABOUT,
        problem_types=PROBLEM_TYPES,
        problem_members=ERROR_MEMBER,
        errors=ERRORS,
        settings=chosen.web,
    )
    attach(app, service, chosen)
    return app


def attach(app: FastAPI, service: PortfolioService, settings: ApiSettings) -> None:
    """Let the routers of an app use this service."""
    app.state.portfolio = Api(service, settings)
