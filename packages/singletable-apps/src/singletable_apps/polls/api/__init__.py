"""The API of polls: `make_polls_app(polls, settings=…)` serves it under `/api/polls`."""

from __future__ import annotations

from importlib.metadata import version

from fastapi import FastAPI

from singletable_apps.polls.api.dependencies import Api, ApiSettings, Limits
from singletable_apps.polls.api.problems import PROBLEM_TYPES, to_problem
from singletable_apps.polls.api.routes import ROUTERS
from singletable_apps.polls.errors import PollsError
from singletable_apps.polls.service import Polls
from singletable_apps.shared.web import make_app

__all__ = ["PREFIX", "ApiSettings", "Limits", "make_polls_app"]

PREFIX = "/api/polls"
DESCRIPTION = (
    "Ranked-choice polls: create a poll, share its link, let people rank the options, and read the "
    "results by instant runoff and three other methods.\n\n"
    "There are no accounts. Creating a poll returns an `adminKey`; send it as `Authorization: "
    "Bearer …` to edit, close or delete the poll. A cookie identifies a browser that votes or "
    "creates polls. Polls have an ETag; send it as If-Match when you edit one."
)


def make_polls_app(polls: Polls, *, settings: ApiSettings | None = None) -> FastAPI:
    """Return the app of the API for a service."""
    settings = settings or ApiSettings()
    app = make_app(
        "Polls",
        version("singletable"),
        routers=ROUTERS,
        prefix=PREFIX,
        description=DESCRIPTION,
        problem_types=PROBLEM_TYPES,
        errors={PollsError: to_problem},
        settings=settings.web,
    )
    app.state.polls = Api(polls, settings)
    return app
