"""The API of the portfolio, under `/api/portfolio`: one module per topic."""

from __future__ import annotations

from singletable_apps.portfolio.api import auth, blogs, site

__all__ = ["ABOUT", "ROUTERS"]

ROUTERS = (
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
ABOUT = (
    "A personal site and its blog.\n\n"
    "Sign in to get an `access_token`, and send it as `Authorization: Bearer …`. It lasts a few "
    "minutes; `POST /auth/refresh` renews it. Posts, the portfolio and the settings have an ETag: "
    "send it as If-Match when you change one, or your change overwrites what others have changed "
    "in the meantime."
)
