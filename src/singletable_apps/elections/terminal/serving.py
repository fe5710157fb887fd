"""Elections served by a command of their own."""

from __future__ import annotations

import typer

from singletable_apps.elections.pages import PREFIX as PAGES
from singletable_apps.elections.terminal.mailing import Letters
from singletable_apps.elections.terminal.opening import Place
from singletable_apps.elections.terminal.site import site_on
from singletable_apps.shared.serving.addresses import driver_at
from singletable_apps.shared.serving.greeting import STOPPED, tell_where
from singletable_apps.shared.serving.listening import Listening, listening
from singletable_apps.shared.serving.running import run


def serve(place: Place, asked: Listening, letters: Letters) -> None:
    """Serve elections, with their pages, until a signal asks to stop."""
    with listening(asked) as (listener, url, public), driver_at(place.at) as driver:
        site = site_on(driver, place, public, letters)
        where = typer.style(url + PAGES, bold=True)
        typer.echo(f"\nElections are at {where}. Ctrl-C stops them.\n")
        tell_where(url, site.api, site.places)
        typer.echo(f"\n{site.warning}\n")
        run(site.app, listener)
    typer.echo(STOPPED)
