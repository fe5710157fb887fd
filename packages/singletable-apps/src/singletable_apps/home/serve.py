"""Serve the home page and all apps from one folder, and print a short welcome."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer

from dynamodb_engine import hide_password
from singletable_apps.home.app import make_site_app
from singletable_apps.home.apps import find_apps, open_apps
from singletable_apps.home.guide import GUIDE_URL
from singletable_apps.shared.apps import (
    RunningApp,
    ServeOptions,
    check_sample,
    print_sample,
    print_setup,
)
from singletable_apps.shared.serve import ListenOptions, listen, print_rows, print_running, serve

_NO_EMAILS = (
    "Without --smtp, no e-mails are sent: people can register with addresses that are not theirs, "
    "registering shows which addresses are taken, and forgotten passwords cannot be reset."
)


def serve_site(folder: Path, options: ListenOptions, choices: ServeOptions) -> None:
    """Serve all apps until a signal comes. Invalid options raise before anything is created."""
    with (
        listen(options) as (listener, url, public),
        open_apps(find_apps(), folder, public, choices) as apps,
    ):
        for app in apps:
            check_sample(app, public)
        site = make_site_app(apps, settings=public.settings())
        print_welcome(url, apps, folder, choices, is_local=public.is_local)
        serve(site, listener, public)


def print_welcome(
    url: str,
    apps: Sequence[RunningApp],
    folder: Path,
    choices: ServeOptions,
    *,
    is_local: bool = True,
) -> None:
    """Print the address, the apps, the sample accounts, and where the data is."""
    print_running("singletable", url)
    typer.echo("")
    print_rows([("Guide", f"{url}{GUIDE_URL}")])
    print_rows([(app.info.name, f"{url}{app.info.url} (API: {app.api}/docs)") for app in apps])
    for app in apps:
        print_sample(app, url)
        print_setup(app)
    typer.echo("")
    if choices.emails.show is not None:
        typer.echo("E-mails, such as password resets, are printed here.")
    if choices.emails.server is None and not is_local:
        typer.echo(_NO_EMAILS)
    if choices.address is None:
        typer.echo(f"Your data is in {folder}. Back up the whole folder, including the keys.")
    else:
        address = hide_password(choices.address)
        typer.echo(f"Your data is at {address}, and the keys are in {folder}.")
        typer.echo("Back up both, separately.")
    typer.echo("")
