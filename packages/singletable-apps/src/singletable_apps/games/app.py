"""Run games: the web app with API, sockets and pages, and the entry on the home page."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from fastapi import FastAPI, Response
from starlette.responses import RedirectResponse

from singletable import Driver
from singletable_apps.games.api import ApiSettings, make_games_app
from singletable_apps.games.pages import add_pages
from singletable_apps.games.sample import create_sample, list_sample
from singletable_apps.games.service import GamesService, open_games
from singletable_apps.games.summaries import configured_summarizer
from singletable_apps.games.urls import API, PREFIX, Urls
from singletable_apps.shared.apps import AppContext, AppInfo, RunningApp, serve_app
from singletable_apps.shared.key_files import create_folder, load_key_file
from singletable_apps.shared.objects import FolderBucket
from singletable_apps.shared.serve import (
    ListenOptions,
    PublicUrl,
    file_errors,
    listen,
    new_folder,
    open_driver,
    progress_bar,
)

# The largest bodies of forms, by the path of the page.
FORM_LIMITS = {PREFIX: 1 << 17, f"{PREFIX}/sets": 16_000_000}
_FOLDER = Path(__file__).parent
_TABLE_FILE, _SECRET_FILE, _IMAGES = "games.db", "secret.key", "images"
_WARNING = "Back up the secret: without it, hosts and players lose their seats."


def make_web_app(service: GamesService, settings: ApiSettings) -> FastAPI:
    """Return the web app with the API and the pages; `/` redirects to the pages."""
    app = make_games_app(service, settings=settings)
    add_pages(app, service, settings.limits)

    @app.get("/", include_in_schema=False)
    def redirect_to_pages() -> Response:
        return RedirectResponse(PREFIX, 303)

    return app


def open_service(
    driver: Driver, secret_file: Path, urls: Urls, environment: str = "dev"
) -> GamesService:
    """Open the service with the secret in a file, which is created if it is missing.

    Images are in a folder beside the secret.
    """
    folder = secret_file.parent
    with file_errors(folder):
        create_folder(folder)
    secret = load_key_file(secret_file, "for the seats of hosts and players")
    bucket = FolderBucket(folder / _IMAGES)
    return open_games(
        driver,
        secret,
        environment=environment,
        urls=urls,
        bucket=bucket,
        summarizer=configured_summarizer(),
    )


def run_app(
    service: GamesService, address: str, secret_file: Path, public: PublicUrl
) -> RunningApp:
    """Return the running app of an open service."""
    return RunningApp(
        make_web_app(service, ApiSettings(web=public.settings(uploads=FORM_LIMITS))),
        prefixes=(PREFIX, API, "/static/*/games"),
        api=API,
        locations=(("tables", address), ("secret", str(secret_file.resolve()))),
        warning=_WARNING,
        sample=lambda: list_sample(service),
    )


@contextmanager
def open_app(context: AppContext) -> Generator[RunningApp]:
    """Open the app for the home page, creating sample sets and games first if they are wanted."""
    urls = Urls(public=context.public.url)
    if context.needs_sample:
        with (
            new_folder(context.folder) as folder,
            open_driver(f"file:{folder / _TABLE_FILE}") as driver,
            progress_bar("Creating sample games") as progress,
        ):
            create_sample(open_service(driver, folder / _SECRET_FILE, urls), progress)
    with context.connect(_TABLE_FILE) as driver:
        secret_file = context.folder / _SECRET_FILE
        service = open_service(driver, secret_file, urls)
        yield run_app(service, context.address_of(_TABLE_FILE), secret_file, context.public)


def run_serve(address: str, secret_file: Path, options: ListenOptions, environment: str) -> None:
    """Serve games until the process is stopped."""
    with listen(options) as (listener, url, public), open_driver(address) as driver:
        service = open_service(driver, secret_file, Urls(public=public.url), environment)
        running = run_app(service, address, secret_file, public)
        serve_app("Games", PREFIX, running, listener, url, public)


def app_info() -> AppInfo:
    """Return the entry on the home page."""
    return AppInfo(
        name="Games",
        about=(
            "Live games for everyone in the room: quizzes, polls, surveys, and call-and-answer "
            "where everybody ranks the answers of the others."
        ),
        url=PREFIX,
        picture=(_FOLDER / "templates/games/picture.svg").read_text(encoding="utf-8"),
        picture_alt="A big screen with four answers and phones in front of it",
        picture_style=(_FOLDER / "static/picture.css").read_text(encoding="utf-8"),
    )
