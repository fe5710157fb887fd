"""What the site knows of an app, and the command that serves one app alone.

In a request that came through the site, `request.state.apps` has the links of the app switcher.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import typer
from starlette.types import ASGIApp

from singletable_apps.shared.mail import KEEP_EMAILS, EmailDelivery
from singletable_apps.shared.serve import ListenError, PublicUrl, print_rows, print_running, serve


@dataclass(frozen=True, slots=True)
class AppInfo:
    """What the home page shows of an app.

    `picture` is SVG that uses classes, whose styles are in `picture_style`; `picture_alt` says in
    words what the picture shows.
    """

    name: str
    about: str
    url: str
    picture: str
    picture_alt: str
    picture_style: str = ""


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """What the operator chose for all apps of a site.

    All tables are at the `address`, if there is one, and else in a file in the folder of each app.
    `sample` asks for sample data in new folders.
    """

    address: str | None = None
    sample: bool = False
    emails: EmailDelivery = KEEP_EMAILS


@dataclass(frozen=True, slots=True)
class SampleEntry:
    """A link into the sample data, or a button that posts `form` to `url`.

    `label_prefix` precedes the name for screen readers, for example "Sign in as".
    """

    name: str
    about: str
    url: str
    form: Mapping[str, str] = field(default_factory=dict[str, str])
    label_prefix: str = ""


@dataclass(frozen=True, slots=True)
class SampleData:
    """Sample accounts or pages to try, and the password of all accounts."""

    entries: tuple[SampleEntry, ...]
    password: str = ""


@dataclass(frozen=True, slots=True)
class RunningApp:
    """An open app. The home page shows its `info`.

    It receives requests for paths that start with one of its `prefixes`, in whole segments; `*`
    matches one segment, as in `/static/*/polls`. Its API is under `api`, with documentation at
    `{api}/docs`. `locations` lists where data is stored, for example ("tables", "file:polls.db"),
    and `warning` says what to back up. `sample()` returns the sample data that still exists. While
    there is no account, `setup_url` is the page, with the set-up code, to create the first one.
    """

    info: AppInfo
    app: ASGIApp
    prefixes: tuple[str, ...]
    api: str
    locations: tuple[tuple[str, str], ...] = ()
    warning: str = ""
    sample: Callable[[], SampleData | None] = lambda: None
    setup_url: str = ""


def check_sample(running: RunningApp, public: PublicUrl) -> None:
    """Raise ListenError if other machines could sign in to sample accounts."""
    if not public.is_local and running.sample() is not None:
        raise ListenError(
            f"{running.info.name} has sample data, which anyone can sign in to, and other machines "
            f"can reach {public.url}. Start with new tables without a sample, or listen on "
            "127.0.0.1 without --public."
        )


def serve_app(running: RunningApp, listener: socket.socket, url: str, public: PublicUrl) -> None:
    """Serve a single app until a signal comes.

    It prints where the app, its API and its data are.
    """
    check_sample(running, public)
    print_running(running.info.name, f"{url}{running.info.url}")
    typer.echo("")
    api = f"{url}{running.api}"
    print_rows([("API", api), ("API docs", f"{api}/docs"), *running.locations])
    print_sample(running, url)
    print_setup(running)
    if running.warning:
        typer.echo(f"\n{running.warning}")
    typer.echo("")
    serve(running.app, listener, public)


def print_sample(running: RunningApp, url: str) -> None:
    """Print what to type to sign in to the sample accounts, or the links into the sample."""
    sample, name = running.sample(), running.info.name
    if sample is None:
        return
    if sample.password:
        typer.echo(f"\nSample accounts for {name} (password: {sample.password})\n")
    else:
        typer.echo(f"\nSample {name.lower()}\n")
    rows = [
        (entry.form["who"], f"{entry.name}. {entry.about}")
        if "who" in entry.form
        else (entry.name, f"{url}{entry.url}")
        for entry in sample.entries
    ]
    print_rows(rows, width=max(len(first) for first, _ in rows) + 3)


def print_setup(running: RunningApp) -> None:
    """Print the link for the owner of a new site, while it has none."""
    if running.setup_url:
        text = "has no owner yet. To become the owner, open this link, and keep it to yourself:"
        typer.echo(f"\n{running.info.name} {text}")
        typer.echo(f"  {running.setup_url}")
