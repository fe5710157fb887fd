"""The app: every module here that has a router is a topic, and asks the service."""

from __future__ import annotations

from importlib.metadata import version

from fastapi import FastAPI

from singletable_apps.polls.api import polls as poll_routes
from singletable_apps.polls.api import results, voting
from singletable_apps.polls.api.dependencies import Api, ApiSettings
from singletable_apps.polls.api.problems import PROBLEM_TYPES, problem_of
from singletable_apps.polls.errors import PollsError
from singletable_apps.polls.service import Polls
from singletable_apps.shared.web import make_app

PREFIX = "/api/polls"
ROUTERS = (
    poll_routes.create_router,
    poll_routes.router,
    poll_routes.codes_router,
    voting.router,
    results.router,
    results.exports_router,
)
ABOUT = (
    "Polls by ranking: anybody makes one, whoever has the link ranks its options, and an instant "
    "runoff counts them, beside three other methods.\n\n"
    "There are no accounts. Making a poll gives an `adminKey`; send it as `Authorization: Bearer "
    "…` to change, close or delete the poll. A cookie knows a browser again that votes or makes "
    "polls. What is edited has an ETag, and an edit sends it as If-Match."
)


def make_polls_app(polls: Polls, *, settings: ApiSettings | None = None) -> FastAPI:
    """The app on a service that is open."""
    chosen = settings or ApiSettings()
    app = make_app(
        "Polls",
        version("singletable"),
        routers=ROUTERS,
        prefix=PREFIX,
        description=ABOUT,
        problem_types=PROBLEM_TYPES,
        errors={PollsError: problem_of},
        settings=chosen.web,
    )
    app.state.polls = Api(polls, chosen)
    return app
