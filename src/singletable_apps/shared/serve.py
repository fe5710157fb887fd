"""What every app needs to be served by a command; each file is imported by whoever needs it.

- `with listening(Listening(host, port, …)) as (listener, url, public)` has a socket, its address,
  and the one that people use; what cannot be is a ListeningRefused.
- `public.settings(body_limit=…, uploads=…)` are settings for `make_app`.
- `run(app, listener)` serves until a signal asks to stop.
- `with driver_at("file:data/polls.db") as driver` makes the folder of a file.
- `with drafted(folder) as draft` fills a new folder, whole or not at all.
- `with bar("Filling") as told` shows how much is done.
- `tell_where(url, api, places)` says where everything is.
- REFUSALS end a command with their words.
"""

from __future__ import annotations

import re
import shutil
import signal
import socket
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import typer
import uvicorn
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from starlette.types import ASGIApp

import singletable
from singletable import Driver, SingleTableError
from singletable_apps.counting import replace_control_characters
from singletable_apps.shared.errors import AppError
from singletable_apps.shared.web import Settings


class FileError(AppError):
    """A file or folder cannot be used."""


class ListenError(AppError):
    """Nobody can listen there, or people cannot come that way."""


# What is refused, rather than broken: a bug still shows where it is.
EXPECTED_ERRORS = (AppError, SingleTableError)


def error_text(refusal: BaseException) -> str:
    """A refusal as one reads it; its lines are its own, whatever else steers a terminal is not."""
    return "\n".join(map(replace_control_characters, str(refusal).split("\n")))


@contextmanager
def file_errors(path: Path) -> Generator[None]:
    """Say of which file it was that the system refused something."""
    try:
        yield
    except OSError as problem:
        why = problem.strerror or str(problem)
        raise FileError(f"'{path}' cannot be used: {why}.") from problem


@contextmanager
def open_driver(at: str) -> Generator[Driver]:
    """The driver of an address, closed at the end."""
    file = file_of(at)
    if file is not None:
        with file_errors(file.parent):
            file.parent.mkdir(parents=True, exist_ok=True)
    with singletable.connect(at) as driver:
        yield driver


def file_of(at: str) -> Path | None:
    """The file that an address names: `file:votes.db`, or as a URL has it `file:///srv/votes.db`."""
    kind, _, rest = at.partition(":")
    if kind != "file" or not rest or (rest.startswith("//") and not rest.startswith("///")):
        return None
    return Path(rest[2:] if rest.startswith("///") else rest)


@contextmanager
def new_folder(folder: Path) -> Generator[Path]:
    """A folder beside it to be filled, which takes its place at the end, if all went well."""
    draft = folder.with_name(f"{folder.name}.new")
    with file_errors(draft):
        # Left there by a process that had no time to clear up.
        if draft.exists():
            shutil.rmtree(draft)
        draft.mkdir(parents=True)
    try:
        yield draft
        with file_errors(folder):
            draft.rename(folder)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise


STOPPED = "Stopped. Everything that was answered is kept."
_WIDTH = 21


def print_locations(url: str, api: str, places: Iterable[tuple[str, str]]) -> None:
    """Say where programs ask, where that is described, and where everything is kept."""
    lines = [("for programs", f"{url}{api}"), ("to read", f"{url}{api}/docs"), *places]
    for what, where in lines:
        typer.echo(f"  {what:<{_WIDTH}}{where}")


_ORIGIN = re.compile(r"https?://[^\s/?#@{}\\]+")
_MEBIBYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class PublicUrl:
    """`url` has no slash at its end; `proxies` are networks whose X-Forwarded-For is believed."""

    url: str
    proxies: tuple[str, ...] = ()

    @property
    def secure_cookies(self) -> bool:
        """Whether people come over TLS, so that cookies need no other way."""
        return self.url.startswith("https://")

    def settings(
        self,
        *,
        body_limit: int = _MEBIBYTE,
        uploads: Mapping[str, int] = MappingProxyType({}),
    ) -> Settings:
        """Settings of an app that people come to by this address; the rest is its own."""
        return Settings(
            trusted_origins=(self.url,),
            proxies=self.proxies,
            body_limit=body_limit,
            uploads=uploads,
        )


def public_of(named: str | None, proxies: tuple[str, ...], url: str) -> PublicUrl:
    """The address that was named, if one was, or else the one that is listened on."""
    public = PublicUrl((named or url).rstrip("/"), proxies)
    if not _ORIGIN.fullmatch(public.url):
        raise ListenError(
            f"--public takes an address as https://vote.example.org, and '{named}' is none."
        )
    try:
        public.settings()
    except ValueError as problem:
        raise ListenError(
            f"--proxy takes a network as 10.0.0.0/8 or 127.0.0.1, and {problem}."
        ) from problem
    return public


@dataclass(frozen=True, slots=True)
class ListenOptions:
    """Where to listen, under which address people come, and which proxies are believed."""

    host: str
    port: int
    public: str | None = None
    proxies: tuple[str, ...] = ()


@contextmanager
def listen(asked: ListenOptions) -> Generator[tuple[socket.socket, str, PublicUrl]]:
    """A socket that listens, its address, and the one that people use, which may be another.

    Ctrl-C and SIGTERM end what is within, whatever it does by then, and what is after it goes on.
    """
    with listener_of(asked) as listener, _until_stopped():
        url = url_of(asked.host, listener.getsockname()[1])
        yield listener, url, public_of(asked.public, asked.proxies, url)


@contextmanager
def _until_stopped() -> Generator[None]:
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        typer.echo("")
    finally:
        signal.signal(signal.SIGTERM, before)


def listener_of(asked: ListenOptions) -> socket.socket:
    """A socket that listens there."""
    host, port = asked.host, asked.port
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=1024)
    except OSError as problem:
        # Python adds to some of these where it was tried, which is said here already.
        why = (problem.strerror or str(problem)).partition(" (")[0]
        raise ListenError(
            f"Nobody can listen on {host} port {port}: {why}. Name another port with --port, or 0 "
            "for one that is free."
        ) from problem


def url_of(host: str, port: int) -> str:
    """The address of a host and port for a browser."""
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@contextmanager
def progress_bar(what: str) -> Generator[Callable[[int, int], None]]:
    """A function that is told how much is done, of how much."""
    console = Console(stderr=True)
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    unseen = not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=unseen) as shown:
        task = shown.add_task(what, total=None)
        yield lambda done, total: shown.update(task, completed=done, total=total)


# So long may what has arrived take to be answered after a signal.
LAST_SECONDS = 10


def run(app: ASGIApp, listener: socket.socket) -> None:
    """Serve, and answer what has arrived before the end; see `listening` for what ends it."""
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
    # It answers, and then passes on the signal that it was stopped by.
    server.run(sockets=[listener])
