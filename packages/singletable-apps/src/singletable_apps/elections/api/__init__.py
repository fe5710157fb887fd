"""The HTTP API of elections, under `/api/elections`: one module per topic."""

from __future__ import annotations

from singletable_apps.elections.api import audit, auth, elections, results, roll, users, voting

__all__ = ["ABOUT", "ROUTERS"]

ROUTERS = (
    auth.router,
    users.me_router,
    users.router,
    elections.status_router,
    elections.router,
    elections.lifecycle_router,
    elections.candidates_router,
    roll.router,
    voting.router,
    results.router,
    results.downloads_router,
    audit.router,
)
ABOUT = (
    "Elections in which voters rank the candidates. An owner sets an election up, launches it, and "
    "closes it with a signed statement; voters get a receipt that anyone can check.\n\n"
    "Sign in to get an access token, and send it as `Authorization: Bearer …`. It lasts a few "
    "minutes; the refresh cookie renews it. Edits send the `ETag` of what they change as "
    "`If-Match`, so that no one overwrites a change they have not seen. Names ignore case; write a "
    "slash in a name as `%2F`."
)
