"""Run polls: the web app with API and pages, the entry on the home page, and the commands."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import typer
from fastapi import FastAPI, Response
from starlette.responses import RedirectResponse

from ranked_ballots import Ballots, Ranking, instant_runoff
from ranked_ballots.pictures import STYLESHEET, draw_transfers
from singletable import Driver
from singletable_apps.polls.api import PREFIX, ApiSettings, make_polls_app
from singletable_apps.polls.pages import PREFIX as PAGES
from singletable_apps.polls.pages import add_pages
from singletable_apps.polls.sample import SAMPLE_POLLS, create_sample, list_sample
from singletable_apps.polls.service import Polls, open_polls
from singletable_apps.polls.tokens import Secret
from singletable_apps.shared.apps import AppContext, AppInfo, RunningApp, serve_app
from singletable_apps.shared.key_files import create_folder, load_key_file
from singletable_apps.shared.serve import (
    ListenOptions,
    PublicUrl,
    existing_address,
    file_errors,
    listen,
    new_folder,
    open_driver,
    progress_bar,
)

# The poll form with 50 options and a description, percent-encoded.
FORM_LIMIT = 1 << 18
_WARNING = (
    "Back up the secret separately from the table. Without it, admin links and voting codes stop\n"
    "working and voters are not recognized."
)
_TABLE_FILE, _SECRET_FILE = "polls.db", "secret.key"
# Recounting derives nothing from the secret.
_NO_SECRET = Secret(bytes(32))


def make_web_app(polls: Polls, settings: ApiSettings) -> FastAPI:
    """Return the web app with the API and the pages; `/` redirects to the pages."""
    app = make_polls_app(polls, settings=settings)
    add_pages(app, polls, settings)

    @app.get("/", include_in_schema=False)
    def redirect_to_pages() -> Response:
        return RedirectResponse(PAGES, 303)

    return app


def run_app(driver: Driver, address: str, secret_file: Path, public: PublicUrl) -> RunningApp:
    """Return the running app on an open driver."""
    polls = open_polls(driver, load_secret(secret_file))
    settings = ApiSettings(web=public.settings(uploads={PAGES: FORM_LIMIT}), public=public.url)
    return RunningApp(
        make_web_app(polls, settings),
        prefixes=(PAGES, PREFIX, "/static/*/polls"),
        api=PREFIX,
        locations=(("tables", address), ("secret", str(secret_file.resolve()))),
        warning=_WARNING,
        sample=lambda: list_sample(polls),
    )


def load_secret(file: Path) -> Secret:
    """Load the server secret from a file, creating it if it is missing."""
    with file_errors(file.parent):
        create_folder(file.parent)
    return Secret(load_key_file(file, "for admin links, voting codes and vote ids"))


def app_info() -> AppInfo:
    """Return the entry on the home page, with the transfers of a sample poll as its picture."""
    sample = SAMPLE_POLLS[0]
    groups = [(Ranking.from_levels(order.split(" > ")), votes) for votes, order in sample.votes]
    ballots = Ballots.from_counts(list(sample.draft.candidates), groups)
    picture = draw_transfers(instant_runoff(ballots, look_back=True, seed="sample"))
    return AppInfo(
        name="Polls",
        about=(
            "Create a poll, share the link, and let people rank the options. Instant runoff counts "
            "the votes live, next to three other methods."
        ),
        url=PAGES,
        picture=picture.svg,
        picture_alt=picture.text,
        picture_style=STYLESHEET,
    )


@contextmanager
def open_app(context: AppContext) -> Generator[RunningApp]:
    """Open the app for the home page, creating sample polls first if they are wanted."""
    if context.needs_sample:
        with (
            new_folder(context.folder) as folder,
            open_driver(f"file:{folder / _TABLE_FILE}") as driver,
            progress_bar("Creating sample polls") as progress,
        ):
            create_sample(driver, load_secret(folder / _SECRET_FILE), datetime.now(UTC), progress)
    with context.connect(_TABLE_FILE) as driver:
        address, secret_file = context.address_of(_TABLE_FILE), context.folder / _SECRET_FILE
        yield run_app(driver, address, secret_file, context.public)


def run_serve(address: str, secret_file: Path, options: ListenOptions) -> None:
    """Serve polls until the process is stopped."""
    with listen(options) as (listener, url, public), open_driver(address) as driver:
        serve_app(
            "Polls", PAGES, run_app(driver, address, secret_file, public), listener, url, public
        )


def run_sample(address: str, secret_file: Path) -> None:
    """Create the sample polls."""
    with open_driver(address) as driver, progress_bar("Creating sample polls") as progress:
        create_sample(driver, load_secret(secret_file), datetime.now(UTC), progress)
    typer.echo(
        f"Created {len(SAMPLE_POLLS)} polls. To see them: singletable polls serve "
        f"--address {address} …"
    )


def run_recount(address: str, poll_id: str) -> None:
    """Recount a poll, and exit with status 1 if the results do not match."""
    with open_driver(existing_address(address)) as driver:
        polls = open_polls(driver, _NO_SECRET, make_table=False)
        poll = polls.context.get_poll(poll_id)
        recount = polls.tallies.recount(poll)
    by_votes, by_entries = recount.by_votes.counts, recount.by_entries.counts
    typer.echo(f"{poll.title}\n  {recount.votes:,} votes, {len(by_votes):,} different rankings")
    if recount.agrees:
        typer.echo("  The results match.")
        return
    typer.echo("  THE RESULTS DO NOT MATCH. Ranking, votes, votes in the results:")
    for ranking in sorted({*by_votes, *by_entries}):
        votes, counted = by_votes.get(ranking, 0), by_entries.get(ranking, 0)
        if votes != counted:
            typer.echo(f"    {ranking:<30}{votes:>10,}{counted:>10,}")
    raise typer.Exit(1)
