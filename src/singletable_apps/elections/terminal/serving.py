"""The service on the web, until a signal asks it to stop."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable
from typing import TypeAlias

import typer
import uvicorn
from fastapi import FastAPI, Response
from starlette.responses import RedirectResponse

from singletable_apps.elections.api import PREFIX, ApiSettings, make_elections_app
from singletable_apps.elections.pages import PREFIX as PAGES
from singletable_apps.elections.pages import add_pages
from singletable_apps.elections.service import Elections
from singletable_apps.elections.terminal.listening import (
    Listening,
    listener_of,
    settings_for,
    url_of,
)
from singletable_apps.elections.terminal.mailing import smtp_at
from singletable_apps.elections.terminal.opening import Place, elections_at
from singletable_apps.shared.counting.visible import visible
from singletable_apps.shared.mail import Letter

# So long may what has arrived take to be answered after a signal.
LAST_SECONDS = 10


# What is served, and what is said once it is.
Make: TypeAlias = Callable[[Elections, ApiSettings], FastAPI]
Greet: TypeAlias = Callable[[Place, Listening, str, Elections], None]


def serve(place: Place, asked: Listening) -> None:
    """Serve elections, with their pages, until a signal asks to stop."""
    serve_app(place, asked, with_pages, _greet)


def serve_app(place: Place, asked: Listening, make: Make, greet: Greet) -> None:
    """Serve an app until a signal asks to stop; what cannot be is refused first."""
    with listener_of(asked) as listener:
        url = url_of(asked.host, listener.getsockname()[1])
        settings, api = settings_for(asked, url)
        told = printed if asked.letters else None
        mailer = smtp_at(asked.smtp) if asked.smtp is not None else None
        with elections_at(place, settings, told, mailer) as elections:
            app = make(elections, api)
            greet(place, asked, url, elections)
            _run(app, listener)
    typer.echo("Stopped. Everything that was answered is kept.")


def with_pages(elections: Elections, settings: ApiSettings) -> FastAPI:
    """The API of elections and their pages, which begin at the root."""
    app = make_elections_app(elections, settings=settings)
    add_pages(app, elections, secure_cookies=settings.secure_cookies)

    @app.get("/", include_in_schema=False)
    def begin() -> Response:
        return RedirectResponse(PAGES, 303)

    return app


def printed(letter: Letter) -> None:
    """Show a letter where the service was started."""
    typer.echo(f"\nA letter to {letter.to}: {letter.subject}\n")
    for line in letter.text.rstrip().split("\n"):
        typer.echo(f"  {visible(line)}")
    typer.echo("")


def _run(app: FastAPI, listener: socket.socket) -> None:
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            lifespan="off",
            timeout_graceful_shutdown=LAST_SECONDS,
        )
    )
    # The server stops cleanly, and then passes on the signal that it was stopped by.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        server.run(sockets=[listener])
    except KeyboardInterrupt:
        typer.echo("")


def _greet(place: Place, asked: Listening, url: str, elections: Elections) -> None:
    """Say where it is, how it is described, and what must not be lost."""
    typer.echo(f"\nElections are at {typer.style(url + PAGES, bold=True)}. Ctrl-C stops them.\n")
    typer.echo(f"  for programs         {url}{PREFIX}")
    typer.echo(f"  to read              {url}{PREFIX}/docs")
    tell_where(place, asked)


def tell_where(place: Place, asked: Listening) -> None:
    """Say where everything is kept, and what must not be lost."""
    typer.echo(f"  tables               {place.at}")
    typer.echo(f"  letters              {_letters(asked)}")
    typer.echo(f"  keys                 {place.keys.resolve()}")
    typer.echo(
        "\nBack up the keys apart from the tables: without them sealed ballots cannot be counted, "
        "nor\nreceipts be made.\n"
    )


def _letters(asked: Listening) -> str:
    if asked.smtp is not None:
        return "sent by the mail server"
    return "printed here" if asked.letters else "kept, for singletable elections outbox"
