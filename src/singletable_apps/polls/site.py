"""Polls on the web: the API and its pages in one app, for whoever serves it."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI, Response
from starlette.responses import RedirectResponse

from singletable import Driver
from singletable_apps.polls.api import PREFIX, ApiSettings, make_polls_app
from singletable_apps.polls.pages import PREFIX as PAGES
from singletable_apps.polls.pages import add_pages
from singletable_apps.polls.sample import sample_of
from singletable_apps.polls.secret import Secret
from singletable_apps.polls.service import Polls, open_polls
from singletable_apps.shared.doors import Opened
from singletable_apps.shared.key_files import key_in
from singletable_apps.shared.serving.public import Public
from singletable_apps.shared.serving.refusing import told_of

# Fifty options and a description are sent at once, each letter perhaps as nine.
FORM_LIMIT = 1 << 18
_WARNING = (
    "Back up the secret apart from the table: without it no admin link and no code is good any\n"
    "more, and nobody who voted is known again."
)


def secret_in(file: Path) -> Secret:
    """The secret of a file, which is made if there is none."""
    with told_of(file.parent):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return Secret(key_in(file, "that makes admin links, codes and ids of votes"))


def site_on(driver: Driver, at: str, secret: Path, public: Public) -> Opened:
    """The site on a driver that is open."""
    polls = open_polls(driver, secret_in(secret))
    web = public.settings(uploads={PAGES: FORM_LIMIT})
    settings = ApiSettings(web=web, secure_cookies=public.secure_cookies, public=public.url)
    return Opened(
        with_pages(polls, settings),
        prefixes=(PAGES, PREFIX, "/static/*/polls"),
        api=PREFIX,
        places=(("tables", at), ("secret", str(secret.resolve()))),
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
