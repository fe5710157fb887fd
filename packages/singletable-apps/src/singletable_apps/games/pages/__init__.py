"""The pages of games: one module per topic, with templates in `templates/games`."""

from __future__ import annotations

from fastapi import FastAPI

from singletable_apps.games.limits import Limits
from singletable_apps.games.pages import (
    admin,
    create,
    home,
    host,
    play,
    reports,
    set_imports,
    set_questions,
    sets,
)
from singletable_apps.games.pages.dependencies import GamesSite, make_site
from singletable_apps.games.service import GamesService
from singletable_apps.games.urls import PREFIX

__all__ = ["GamesSite", "add_pages", "make_site"]

# Imports are before sets, where `import` would be the id of one.
_MODULES = (admin, home, create, host, play, reports, set_imports, sets, set_questions)


def add_pages(app: FastAPI, service: GamesService, limits: Limits | None = None) -> GamesSite:
    """Add the pages to an app."""
    site = make_site(service, limits or Limits())
    app.state.games_pages = site
    for module in _MODULES:
        app.include_router(module.router, prefix=PREFIX, include_in_schema=False)
    site.pages.mount(app)
    return site
