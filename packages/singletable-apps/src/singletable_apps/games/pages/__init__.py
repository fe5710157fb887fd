"""The pages of games: one module per topic, with templates in `templates/games`."""

from __future__ import annotations

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
from singletable_apps.games.pages.dependencies import page_context

__all__ = ["ROUTERS", "page_context"]

# Imports are before sets, where `import` would be the id of one.
ROUTERS = (
    admin.router,
    home.router,
    create.router,
    host.router,
    play.router,
    reports.router,
    set_imports.router,
    sets.router,
    set_questions.router,
)
