"""The app: all routers, and the service that they ask."""

from __future__ import annotations

from importlib.metadata import version

from fastapi import FastAPI

from singletable_apps.elections.api import audit, auth, elections, results, users, voting
from singletable_apps.elections.api.dependencies import Api, ApiSettings
from singletable_apps.elections.api.problems import ERRORS, PROBLEM_TYPES
from singletable_apps.elections.service import Elections
from singletable_apps.shared.web import make_app

PREFIX = "/api/elections"
ROUTERS = (
    auth.router,
    users.me_router,
    users.router,
    users.permissions_router,
    elections.status_router,
    elections.router,
    elections.lifecycle_router,
    elections.rolls_router,
    voting.router,
    results.router,
    results.downloads_router,
    audit.router,
)
ABOUT = (
    "Elections by ranking: whoever may create one sets it up, launches it, and closes it with a "
    "signed statement; voters rank candidates, and take home a receipt that they can check "
    "without trusting anybody here.\n\n"
    "Sign in for an access token, and send it as `Authorization: Bearer …`. It lasts some "
    "minutes; the cookie renews it. What is edited has an ETag, and an edit sends it as If-Match. "
    "Names are compared ignoring case; in a path a slash in a name is `%2F`."
)


def make_elections_app(elections: Elections, *, settings: ApiSettings | None = None) -> FastAPI:
    """The app on a service that is open."""
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
    """Let the routers in an app ask this service."""
    app.state.elections = Api(elections, settings)
