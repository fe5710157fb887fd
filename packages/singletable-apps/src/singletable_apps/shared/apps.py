"""How the site finds, shows and opens an app: the contract of `APP` in an app's module `app`.

`singletable serve` finds every package in `singletable_apps` that has a module `app`. Nothing is
registered anywhere. `AppSpec` in `shared.frame` fulfills the contract.

In a request that came through the site, `request.state.apps` has the links of the app switcher.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, runtime_checkable

import typer
from starlette.types import ASGIApp

from singletable import Driver
from singletable_apps.shared.serve import (
    ListenError,
    PublicUrl,
    open_driver,
    print_rows,
    print_running,
    serve,
)


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
class AppContext:
    """What an app needs to know to open.

    `folder` is the app's own folder for keys and tables; it may not exist yet. If the operator
    named an `address` for the tables of all apps, `driver` is connected to it. `sample` asks for
    sample data in a new folder, `print_emails` for e-mails on the terminal; `smtp` is the URL of a
    mail server.
    """

    folder: Path
    public: PublicUrl
    address: str | None = None
    driver: Driver | None = None
    sample: bool = False
    print_emails: bool = False
    smtp: str | None = None

    @property
    def needs_sample(self) -> bool:
        """Return whether to create sample data: only in a new folder, never in tables elsewhere."""
        return self.sample and self.address is None and not self.folder.exists()

    def address_of(self, file: str) -> str:
        """Return the address of the tables: `file` in the folder, unless the operator named one."""
        return self.address or f"file:{self.folder / file}"

    @contextmanager
    def connect(self, file: str) -> Generator[Driver]:
        """Yield the driver for the tables. A driver of the app's own is closed at the end."""
        if self.driver is not None:
            yield self.driver
            return
        with open_driver(self.address_of(file)) as driver:
            yield driver


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


@runtime_checkable
class SiteApp(Protocol):
    """An app of the site."""

    def app_info(self) -> AppInfo:
        """Return the entry on the home page."""
        ...

    def open_app(self, context: AppContext, /) -> AbstractContextManager[RunningApp]:
        """Open the app, creating sample data first if it is wanted."""
        ...


def _no_sample() -> SampleData | None:
    return None


@dataclass(frozen=True, slots=True)
class RunningApp:
    """An open app.

    It receives requests for paths that start with one of its `prefixes`, in whole segments; `*`
    matches one segment, as in `/static/*/polls`. Its API is under `api`, with documentation at
    `{api}/docs`. `locations` lists where data is stored, for example ("tables", "file:polls.db"),
    and `warning` says what to back up. `sample()` returns the sample data that still exists. While
    there is no account, `setup_url` is the page, with the set-up code, to create the first one.
    """

    app: ASGIApp
    prefixes: tuple[str, ...]
    api: str
    locations: tuple[tuple[str, str], ...] = ()
    warning: str = ""
    sample: Callable[[], SampleData | None] = _no_sample
    setup_url: str = ""


def check_sample(name: str, running: RunningApp, public: PublicUrl) -> None:
    """Raise ListenError if other machines could sign in to sample accounts."""
    if not public.is_local and running.sample() is not None:
        raise ListenError(
            f"{name} has sample data, which anyone can sign in to, and other machines can reach "
            f"{public.url}. Start with new tables without a sample, or listen on 127.0.0.1 without "
            "--public."
        )


def serve_app(
    name: str,
    path: str,
    running: RunningApp,
    listener: socket.socket,
    url: str,
    public: PublicUrl,
) -> None:
    """Serve a single app until a signal comes; `path` is its first page.

    It prints where the app, its API and its data are.
    """
    check_sample(name, running, public)
    print_running(name, url + path)
    typer.echo("")
    api = f"{url}{running.api}"
    print_rows([("API", api), ("API docs", f"{api}/docs"), *running.locations])
    if running.setup_url:
        print_setup(name, running.setup_url)
    if running.warning:
        typer.echo(f"\n{running.warning}")
    typer.echo("")
    serve(running.app, listener, public)


def print_setup(name: str, url: str) -> None:
    """Print the link for the owner of a new site."""
    typer.echo(
        f"\n{name} has no owner yet. To become the owner, open this link, and keep it to yourself:"
    )
    typer.echo(f"  {url}")
