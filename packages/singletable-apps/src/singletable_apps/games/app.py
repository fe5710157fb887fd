"""Games, declared once: the web app with its sockets, the commands, and the home page's entry."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from singletable_apps.games import api, pages
from singletable_apps.games.api.dependencies import PROBLEMS, GamesState
from singletable_apps.games.sample import create_sample, list_sample
from singletable_apps.games.service import GamesService, open_games
from singletable_apps.games.summaries import configured_summarizer
from singletable_apps.games.urls import PREFIX, Urls
from singletable_apps.shared.frame import AppSpec, Opening
from singletable_apps.shared.objects import FolderBucket

_FOLDER = Path(__file__).parent


@contextmanager
def _open(opening: Opening) -> Generator[GamesService]:
    """Open the service. Images are in a folder beside the secret."""
    yield open_games(
        opening.driver,
        opening.load_secret("for the seats of hosts and players"),
        environment=os.environ.get("GAMES_ENVIRONMENT", "dev"),
        urls=Urls(public=opening.public),
        bucket=FolderBucket(opening.folder / "images"),
        summarizer=configured_summarizer(),
    )


def _picture() -> tuple[str, str, str]:
    """Return the picture that the first page of games shows too."""
    return (
        (_FOLDER / "templates/games/picture.svg").read_text("utf-8"),
        "A big screen with four answers and phones in front of it",
        (_FOLDER / "static/picture.css").read_text("utf-8"),
    )


APP = AppSpec[GamesService](
    tagline="Live games for everyone in the room.",
    about=(
        "Live games for everyone in the room: quizzes, polls, surveys, and call-and-answer where "
        "everybody ranks the answers of the others."
    ),
    folder=_FOLDER,
    picture=_picture,
    open=_open,
    state=GamesState,
    warning="Back up the secret: without it, hosts and players lose their seats.",
    sample=create_sample,
    list_sample=list_sample,
    # Per client network; for answers, votes and questions per player. A whole school may share one
    # address, and people mistype join codes, so joining has a generous limit. Access codes of
    # private games have a strict one. After too many wrong codes, right codes are rejected too, so
    # that guessing is useless. Sockets have the same limit on answers
    # (`RoomLimits.messages_per_second`).
    limits={
        "join": (3_000, 60),
        "unknown_game": (200, 60),
        "wrong_code": (20, 60),
        "create": (60, 3600),
        "upload": (60, 600),
        "answer": (120, 10),
        "ask": (5, 60),
    },
    uploads={PREFIX: 1 << 17, f"{PREFIX}/sets": 16_000_000},
    description=api.ABOUT,
    routers=api.ROUTERS,
    problems=PROBLEMS,
    pages=pages.ROUTERS,
    context=pages.page_context,
)
