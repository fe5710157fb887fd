"""The API of games: `make_games_app(service, settings=…)` serves `/api/games`."""

from __future__ import annotations

from importlib.metadata import version

from fastapi import FastAPI

from singletable_apps.games.api import admin, answers, games, live, players, reports, room, sets
from singletable_apps.games.api.dependencies import ERRORS, PROBLEM_TYPES, Api, ApiSettings
from singletable_apps.games.live import LiveGames
from singletable_apps.games.service import GamesService
from singletable_apps.games.urls import API
from singletable_apps.shared.web import ERROR_MEMBER, make_app

__all__ = ["API", "ApiSettings", "attach", "make_games_app"]

_ROUTERS = (
    games.router,
    players.router,
    answers.router,
    room.router,
    live.router,
    reports.router,
    sets.router,
    admin.router,
)
_ABOUT = (
    "Live audience games: call-and-answer, trivia, polls and surveys.\n\n"
    "Creating a game returns the host's token, joining returns the player's. Send a token as "
    "`Authorization: Bearer …`. Every error is a problem (RFC 9457) with the additional member "
    "`error`. Live updates come over a WebSocket, or by long polls."
)


def make_games_app(service: GamesService, *, settings: ApiSettings | None = None) -> FastAPI:
    """Return the app of the API for a service."""
    chosen = settings or ApiSettings()
    app = make_app(
        "Games",
        version("singletable"),
        routers=_ROUTERS,
        prefix=API,
        description=_ABOUT,
        problem_types=PROBLEM_TYPES,
        problem_members=ERROR_MEMBER,
        errors=ERRORS,
        settings=chosen.web,
    )
    attach(app, service, chosen)
    return app


def attach(app: FastAPI, service: GamesService, settings: ApiSettings) -> None:
    """Let the routers of an app use this service."""
    known: Api | None = getattr(app.state, "games", None)
    opened = known.live if known is not None and known.service is service else LiveGames(service)
    app.state.games = Api(service, settings, opened)
