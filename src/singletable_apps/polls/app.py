"""How polls are shown at the front, and opened there."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from fastapi import FastAPI, Response
from starlette.responses import RedirectResponse

from singletable import Driver
from singletable_apps.counting import Ballots, Ranking, instant_runoff
from singletable_apps.counting.pictures import STYLESHEET, draw_transfers
from singletable_apps.polls.api import PREFIX, ApiSettings, make_polls_app
from singletable_apps.polls.pages import PREFIX as PAGES
from singletable_apps.polls.pages import add_pages
from singletable_apps.polls.sample import POLLS, fill, sample_of
from singletable_apps.polls.service import Polls, open_polls
from singletable_apps.polls.tokens import Secret
from singletable_apps.shared.apps import AppContext, AppInfo, RunningApp
from singletable_apps.shared.key_files import load_key_file
from singletable_apps.shared.serve import (
    PublicUrl,
    file_errors,
    new_folder,
    open_driver,
    progress_bar,
)

# Fifty options and a description are sent at once, each letter perhaps as nine.
FORM_LIMIT = 1 << 18
_WARNING = (
    "Back up the secret apart from the table: without it no admin link and no code is good any\n"
    "more, and nobody who voted is known again."
)


def secret_in(file: Path) -> Secret:
    """The secret of a file, which is made if there is none."""
    with file_errors(file.parent):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return Secret(load_key_file(file, "that makes admin links, codes and ids of votes"))


def site_on(driver: Driver, at: str, secret: Path, public: PublicUrl) -> RunningApp:
    """The site on a driver that is open."""
    polls = open_polls(driver, secret_in(secret))
    web = public.settings(uploads={PAGES: FORM_LIMIT})
    settings = ApiSettings(web=web, public=public.url)
    return RunningApp(
        with_pages(polls, settings),
        prefixes=(PAGES, PREFIX, "/static/*/polls"),
        api=PREFIX,
        locations=(("tables", at), ("secret", str(secret.resolve()))),
        warning=_WARNING,
        sample=lambda: sample_of(polls),
    )


def with_pages(polls: Polls, settings: ApiSettings) -> FastAPI:
    """The API of polls and their pages, to which the root leads."""
    app = make_polls_app(polls, settings=settings)
    add_pages(app, polls, settings)

    @app.get("/", include_in_schema=False)
    def begin() -> Response:
        return RedirectResponse(PAGES, 303)

    return app


_FILE, _SECRET = "polls.db", "secret.key"


def app_info() -> AppInfo:
    """Where the votes go, round by round, of those whose favourite has left."""
    asked = POLLS[0]
    groups = [(Ranking.from_levels(order.split(" > ")), many) for many, order in asked.votes]
    ballots = Ballots.from_counts(list(asked.draft.candidates), groups)
    picture = draw_transfers(instant_runoff(ballots, look_back=True, seed="sample"))
    return AppInfo(
        name="Polls",
        about=(
            "Anybody makes a poll; whoever has the link ranks the options; an instant runoff "
            "counts them live, round by round, and other methods stand beside it."
        ),
        url="/polls",
        picture=picture.svg,
        picture_alt=picture.text,
        picture_style=STYLESHEET,
    )


@contextmanager
def open_app(context: AppContext) -> Generator[RunningApp]:
    """The whole app; a sample is made first where one is wished."""
    if context.needs_sample:
        with (
            new_folder(context.folder) as draft,
            open_driver(f"file:{draft / _FILE}") as driver,
            progress_bar("Filling polls") as told,
        ):
            fill(driver, secret_in(draft / _SECRET), datetime.now(UTC), told)
    with context.connect(_FILE) as driver:
        yield site_on(driver, context.address_of(_FILE), context.folder / _SECRET, context.public)
