"""What the commands do: serve polls, fill a table with some, recount one."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import typer

from singletable import Driver, StorageError
from singletable_apps.polls.app import secret_in, site_on
from singletable_apps.polls.pages import PREFIX as PAGES
from singletable_apps.polls.sample import POLLS, fill
from singletable_apps.polls.service import open_polls
from singletable_apps.polls.tokens import Secret
from singletable_apps.shared.apps import serve_app
from singletable_apps.shared.serve import (
    ListenOptions,
    listen,
    open_driver,
    path_of_address,
    progress_bar,
)

# Recounting derives nothing, so any secret will do.
_NO_SECRET = Secret(bytes(32))


def serve(at: str, secret: Path, asked: ListenOptions) -> None:
    """Serve polls, with their pages, until a signal asks to stop."""
    with listen(asked) as (listener, url, public), open_driver(at) as driver:
        site = site_on(driver, at, secret, public)
        serve_app("Polls", PAGES, site, listener, url)


def make_sample(at: str, secret: Path) -> None:
    """Make some polls to look at."""
    with open_driver(at) as driver, progress_bar("Filling polls") as told:
        fill(driver, secret_in(secret), datetime.now(UTC), told)
    typer.echo(f"{len(POLLS)} polls are made. Serve them: singletable polls serve --at {at} …")


def recount(at: str, poll_id: str) -> None:
    """Count every vote one by one, and say whether the results agree."""
    with _existing(at) as driver:
        polls = open_polls(driver, _NO_SECRET, make_table=False)
        poll = polls.context.poll(poll_id)
        found = polls.counting.recount(poll)
    orders = len(found.by_votes.counts)
    typer.echo(f"{poll.title}\n  {found.votes:,} votes, {orders:,} different rankings")
    if found.agrees:
        typer.echo("  The results say the same.")
        return
    typer.echo("  THE RESULTS SAY SOMETHING ELSE. By votes, and by results:")
    for order in sorted({*found.by_votes.counts, *found.by_lines.counts}):
        pair = found.by_votes.counts.get(order, 0), found.by_lines.counts.get(order, 0)
        if pair[0] != pair[1]:
            typer.echo(f"    {order:<30}{pair[0]:>10,}{pair[1]:>10,}")
    raise typer.Exit(1)


@contextmanager
def _existing(at: str) -> Generator[Driver]:
    path = path_of_address(at)
    if path is not None and not path.exists():
        raise StorageError(f"There is no file '{path}', so there are no polls in it.")
    with open_driver(at) as driver:
        yield driver
