"""The service on the web, until a signal asks it to stop."""

from __future__ import annotations

import signal
import socket
from dataclasses import dataclass

import typer
import uvicorn
from fastapi import FastAPI

from singletable_apps.elections.api import PREFIX, ApiSettings, make_elections_app
from singletable_apps.elections.service import Settings
from singletable_apps.elections.terminal.opening import Place, elections_at
from singletable_apps.elections.terminal.refusing import PortRefused
from singletable_apps.shared.counting.visible import visible
from singletable_apps.shared.mail import Letter

# So long may what has arrived take to be answered after a signal.
LAST_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Listening:
    """Where to listen, under which address people come, and whether letters are shown."""

    host: str
    port: int
    public: str | None = None
    letters: bool = False


def serve(place: Place, listening: Listening) -> None:
    """Serve until a signal asks to stop; what cannot be is refused first."""
    with _listen(listening.host, listening.port) as listener:
        url = _url(listening.host, listener.getsockname()[1])
        public = (listening.public or url).rstrip("/")
        settings = Settings(reset_link=f"{public}/elections/reset?token={{token}}")
        with elections_at(place, settings, printed if listening.letters else None) as elections:
            app = make_elections_app(
                elections, settings=ApiSettings(secure_cookies=public.startswith("https://"))
            )
            _greet(place, listening, url)
            _run(app, listener)
    typer.echo("Stopped. Everything that was answered is kept.")


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


def _greet(place: Place, listening: Listening, url: str) -> None:
    """Say where it is, how it is described, and what must not be lost."""
    letters = "printed here" if listening.letters else "kept, for singletable elections outbox"
    typer.echo(f"\nElections are at {typer.style(url + PREFIX, bold=True)}. Ctrl-C stops them.\n")
    typer.echo(f"  to read              {url}{PREFIX}/docs")
    typer.echo(f"  for programs         {url}{PREFIX}/openapi.json")
    typer.echo(f"  tables               {place.at}")
    typer.echo(f"  letters              {letters}")
    typer.echo(f"  keys                 {place.keys.resolve()}")
    typer.echo(
        "\nBack up the keys apart from the tables: without them sealed ballots cannot be counted, "
        "nor\nreceipts be made.\n"
    )


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=1024)
    except OSError as problem:
        # Python adds to some of these where it was tried, which is said here already.
        why = (problem.strerror or str(problem)).partition(" (")[0]
        raise PortRefused(
            f"Nobody can listen on {host} port {port}: {why}. Name another port with --port, or 0 "
            "for one that is free."
        ) from problem


def _url(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
