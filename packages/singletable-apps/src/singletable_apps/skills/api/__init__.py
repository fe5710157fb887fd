"""The API of the skills directory, under `/api/skills`: one module per topic."""

from __future__ import annotations

from singletable_apps.skills.api import catalog, imports, search, user_skills, users

__all__ = ["ABOUT", "ROUTERS"]

# The paths of entries match those of other routers, which come first.
ROUTERS = (
    users.accounts_router,
    users.router,
    users.people_router,
    catalog.router,
    user_skills.router,
    imports.export_router,
    search.router,
    imports.router,
    user_skills.entries_router,
)
ABOUT = (
    "People and their skills.\n\n"
    "Register and sign in to get an `access_token`, and send it as `Authorization: Bearer …`. "
    "Errors are problems (RFC 9457). Lists take `limit` and `cursor`, and edits need `If-Match`. "
    "People and skills are found in any spelling: `Go`, `golang` and `GoLang` are the same skill."
)
