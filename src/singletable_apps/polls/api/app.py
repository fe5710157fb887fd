"""The app: every module here that has a router is a topic, and asks the service."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

from fastapi import APIRouter, FastAPI

from singletable_apps.polls.api.asking import Api
from singletable_apps.polls.api.refusals import KINDS
from singletable_apps.polls.api.settings import ApiSettings
from singletable_apps.polls.service import Polls
from singletable_apps.shared.web import make_app

PREFIX = "/api/polls"
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
        routers=_routers(),
        prefix=PREFIX,
        description=ABOUT,
        kinds=KINDS,
        settings=chosen.web,
    )
    app.state.polls = Api(polls, chosen)
    return app


def _routers() -> list[APIRouter]:
    package = __name__.rpartition(".")[0]
    names = [one.name for one in pkgutil.iter_modules([str(Path(__file__).parent)])]
    found = [getattr(import_module(f"{package}.{name}"), "router", None) for name in names]
    return [one for one in found if isinstance(one, APIRouter)]
