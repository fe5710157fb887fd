"""The HTTP API of elections: one router per topic. Handlers only translate.

`make_elections_app(elections, settings=ApiSettings(…))` is the whole app under `/api/elections`.
An app with another prefix includes `ROUTERS`, `PROBLEM_TYPES` and `ERRORS`, and calls `attach`.
"""

from __future__ import annotations

from importlib.metadata import version

from fastapi import FastAPI

from singletable_apps.elections.api import audit, auth, elections, results, users, voting
from singletable_apps.elections.api.dependencies import (
    ERRORS,
    PROBLEM_TYPES,
    Api,
    ApiSettings,
    Limits,
)
from singletable_apps.elections.service import Elections
from singletable_apps.shared.web import make_app

__all__ = [
    "ERRORS",
    "PREFIX",
    "PROBLEM_TYPES",
    "ROUTERS",
    "ApiSettings",
    "Limits",
    "attach",
    "make_elections_app",
]
PREFIX = "/api/elections"
ROUTERS = (
    auth.router,
    users.me_router,
    users.router,
    users.permissions_router,
    elections.status_router,
    elections.router,
    elections.lifecycle_router,
    elections.candidates_router,
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


def make_elections_app(elections: Elections, *, settings: ApiSettings | None = None) -> FastAPI:
    """Return the app for an open service."""
    chosen = settings or ApiSettings()
    app = make_app(
        "Elections",
        version("singletable"),
        routers=ROUTERS,
        prefix=PREFIX,
        description=ABOUT,
        problem_types=PROBLEM_TYPES,
        errors=ERRORS,
        settings=chosen.web,
    )
    attach(app, elections, chosen)
    return app


def attach(app: FastAPI, elections: Elections, settings: ApiSettings) -> None:
    """Let the routers of an app use this service."""
    app.state.elections = Api(elections, settings)
