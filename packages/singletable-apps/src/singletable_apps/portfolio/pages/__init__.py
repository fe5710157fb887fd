"""The pages of the portfolio: one module per topic, with templates in `templates/portfolio`."""

from __future__ import annotations

from singletable_apps.portfolio.pages import accounts, admin, feeds, newsletter, posts, public
from singletable_apps.portfolio.pages.accounts import PEOPLE
from singletable_apps.portfolio.pages.dependencies import page_context

__all__ = ["PEOPLE", "ROUTERS", "page_context"]

# Routes are tried in this order: what readers request comes first.
ROUTERS = (
    posts.router,
    public.images,
    public.router,
    feeds.router,
    newsletter.router,
    accounts.router,
    admin.router,
    posts.pages_router,
)
