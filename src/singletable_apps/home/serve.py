"""The whole site, served from a folder that has everything."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer

from singletable_apps.home.app import make_site_app
from singletable_apps.home.apps import ServedApp, ServeOptions, find_apps, open_apps
from singletable_apps.shared.apps import SampleData
from singletable_apps.shared.serve import STOPPED, ListenOptions, listen, print_locations, run


def serve_site(folder: Path, asked: ListenOptions, wishes: ServeOptions) -> None:
    """Serve all apps until a signal asks to stop; what cannot be is refused first."""
    with (
        listen(asked) as (listener, url, public),
        open_apps(find_apps(), folder, public, wishes) as apps,
    ):
        secure = public.secure_cookies
        site = make_site_app(apps, settings=public.settings(), secure_cookies=secure)
        _greet(url, apps)
        run(site, listener)
    typer.echo(STOPPED)


def _greet(url: str, apps: Sequence[ServedApp]) -> None:
    """Say what must not be lost, what there is to try, and last of all where it is."""
    for app in apps:
        typer.echo(f"\n{app.info.name}: {url}{app.info.url}\n")
        print_locations(url, app.running.api, app.running.locations)
        if app.running.warning:
            typer.echo(f"\n{app.running.warning}")
    for app in apps:
        sample = app.running.sample()
        if sample is not None:
            _show_sample(sample)
    typer.echo(f"\nsingletable is at {typer.style(url, bold=True)}. Ctrl-C stops it.\n")


def _show_sample(sample: SampleData) -> None:
    password = f", with the password: {sample.password}" if sample.password else ""
    typer.echo(f"\n{sample.title}{password}\n")
    width = max(len(entrance.name) for entrance in sample.entries) + 3
    for entrance in sample.entries:
        typer.echo(f"  {entrance.name:<{width}}{entrance.about}")
