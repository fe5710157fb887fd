"""The pages of the skills directory: one module per topic, with templates in `templates/skills`."""

from __future__ import annotations

from singletable_apps.skills.pages import (
    accounts,
    catalog,
    entries,
    imports,
    operations,
    overview,
    people,
    rounds,
    search,
)
from singletable_apps.skills.pages.accounts import PEOPLE
from singletable_apps.skills.pages.dependencies import page_context

__all__ = ["PEOPLE", "ROUTERS", "page_context"]

ROUTERS = (
    people.router,
    accounts.router,
    catalog.router,
    search.router,
    operations.router,
    rounds.router,
    overview.router,
    entries.router,
    imports.router,
)
