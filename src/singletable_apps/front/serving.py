"""The whole site, served from a folder that has everything."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer

from singletable_apps.front.app import make_front_app
from singletable_apps.front.finding import find_apps
from singletable_apps.front.opening import Served, Wishes, opened_apps
from singletable_apps.shared.doors import Sample
from singletable_apps.shared.serving.greeting import STOPPED, tell_where
from singletable_apps.shared.serving.listening import Listening, listening
from singletable_apps.shared.serving.running import run


def serve_front(folder: Path, asked: Listening, wishes: Wishes) -> None:
    """Serve all apps until a signal asks to stop; what cannot be is refused first."""
    with (
        listening(asked) as (listener, url, public),
        opened_apps(find_apps(), folder, public, wishes) as apps,
    ):
        secure = public.secure_cookies
        site = make_front_app(apps, settings=public.settings(), secure_cookies=secure)
        _greet(url, apps)
        run(site, listener)
    typer.echo(STOPPED)


def _greet(url: str, apps: Sequence[Served]) -> None:
    """Say what must not be lost, what there is to try, and last of all where it is."""
    for app in apps:
        typer.echo(f"\n{app.door.name}: {url}{app.door.address}\n")
        tell_where(url, app.opened.api, app.opened.places)
        if app.opened.warning:
            typer.echo(f"\n{app.opened.warning}")
    for app in apps:
        sample = app.opened.sample()
        if sample is not None:
            _show_sample(sample)
    typer.echo(f"\nsingletable is at {typer.style(url, bold=True)}. Ctrl-C stops it.\n")


def _show_sample(sample: Sample) -> None:
    password = f", with the password: {sample.password}" if sample.password else ""
    typer.echo(f"\n{sample.title}{password}\n")
    width = max(len(entrance.name) for entrance in sample.entrances) + 3
    for entrance in sample.entrances:
        typer.echo(f"  {entrance.name:<{width}}{entrance.about}")
