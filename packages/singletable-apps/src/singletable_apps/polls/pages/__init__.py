"""The pages of polls: one module per topic, with its templates in `templates/polls`."""

from __future__ import annotations

from singletable_apps.polls.pages import codes, create, home, manage, results, vote
from singletable_apps.polls.pages.dependencies import page_context

__all__ = ["ROUTERS", "page_context"]

ROUTERS = (
    *(module.router for module in (home, create, vote, results, manage, codes)),
    home.short_router,
)
