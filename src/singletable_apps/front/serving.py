"""The whole site, served from a folder that has everything."""

from __future__ import annotations

import shutil
from pathlib import Path

import typer
from fastapi import FastAPI

from singletable_apps.elections.api import PREFIX, ApiSettings
from singletable_apps.elections.sample import PASSWORD, fill, sample_accounts
from singletable_apps.elections.service import Elections
from singletable_apps.elections.terminal.listening import Listening
from singletable_apps.elections.terminal.opening import Place, elections_at
from singletable_apps.elections.terminal.progress import bar
from singletable_apps.elections.terminal.refusing import told_of
from singletable_apps.elections.terminal.serving import serve_app, tell_where
from singletable_apps.front.app import make_front_app
from singletable_apps.front.finding import doors


def serve_front(folder: Path, asked: Listening, *, at: str | None, sample: bool) -> None:
    """Serve until a signal asks to stop. A sample goes where nothing is yet."""
    kept = folder / "elections"
    if sample and at is None and not kept.exists():
        _make_sample(folder / "new", kept)
    place = Place(at or f"file:{kept}/votes.db", kept / "keys")
    serve_app(place, asked, _make, _greet)


def _make_sample(draft: Path, kept: Path) -> None:
    """A sample is made apart, and moved when it is whole."""
    with told_of(draft):
        shutil.rmtree(draft, ignore_errors=True)
    with (
        elections_at(Place(f"file:{draft}/votes.db", draft / "keys")) as elections,
        bar("Filling") as told,
    ):
        fill(elections, told)
    with told_of(kept):
        draft.rename(kept)


def _make(elections: Elections, settings: ApiSettings) -> FastAPI:
    return make_front_app(elections, settings=settings)


def _greet(place: Place, asked: Listening, url: str, elections: Elections) -> None:
    """Say where it is, with whom to look around, and what must not be lost."""
    accounts = sample_accounts(elections)
    if accounts:
        typer.echo(f"\nSample accounts, all with the password: {PASSWORD}\n")
        for person in accounts:
            typer.echo(f"  {person.name:<12}{person.email:<26}{person.role}")
    typer.echo(f"\nsingletable is at {typer.style(url, bold=True)}. Ctrl-C stops it.\n")
    for door in doors():
        typer.echo(f"  {door.name.lower():<21}{url}{door.address}")
    typer.echo(f"  for programs         {url}{PREFIX}")
    typer.echo(f"  to read              {url}{PREFIX}/docs")
    tell_where(place, asked)
