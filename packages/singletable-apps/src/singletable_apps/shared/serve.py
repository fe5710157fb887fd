"""Serve an app from a command: sockets, the public URL, drivers, data folders and terminal output.

A command that serves one app:

    with listen(options) as (listener, url, public), open_driver(address) as driver:
        serve(make_my_app(driver, settings=public.settings()), listener, public)

Ctrl-C and SIGTERM end the `with` block: requests in progress are answered, and everything opened
inside it is closed.
"""

from __future__ import annotations

import resource
import shutil
import signal
import socket
import ssl
import threading
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType

import typer
import uvicorn
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from starlette.types import ASGIApp

import singletable
from dynamodb_engine.garbage_collection import tune_for_serving
from dynamodb_engine.private_files import create_folder
from dynamodb_engine.server import load_tls
from ranked_ballots import replace_control_characters
from singletable import Driver, SingleTableError, StorageError
from singletable_apps.shared.errors import AppError
from singletable_apps.shared.live import close_streams
from singletable_apps.shared.rooms.protocol import WebSocketProtocol
from singletable_apps.shared.web import Settings
from singletable_apps.shared.web.hosts import host_name, is_loopback, lan_address
from singletable_apps.shared.web.oidc import Provider, parse_oidc_url

# Errors that end a command with their message. Anything else is a bug and shows a traceback.
EXPECTED_ERRORS = (AppError, SingleTableError)
SHUTDOWN_SECONDS = 10
# Connections, WebSockets included, beyond which requests get a 503.
CONNECTIONS = 16_000
# File descriptors for files, tables and connections to other servers.
_OTHER_DESCRIPTORS = 100
BACKLOG = 1024
WEBSOCKET_MESSAGE_BYTES = 64 << 10
_LABEL_WIDTH = 12


class FileError(AppError):
    """A file or folder cannot be used."""


class ListenError(AppError):
    """The host, the port, the public URL or a proxy is invalid or unavailable."""


def error_text(error: BaseException) -> str:
    """Return the message without the control characters that could steer a terminal."""
    return "\n".join(map(replace_control_characters, str(error).split("\n")))


# Files and drivers


@contextmanager
def file_errors(path: Path) -> Generator[None]:
    """Raise operating system errors as a FileError that names `path`."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise FileError(f"Cannot use '{path}': {reason}.") from error


@contextmanager
def open_driver(address: str) -> Generator[Driver]:
    """Connect to `address`, creating the folder of a file, and close the driver at the end."""
    file = path_of_address(address)
    if file is not None:
        with file_errors(file.parent):
            create_folder(file.parent)
    with singletable.connect(address) as driver:
        yield driver


def existing_address(address: str) -> str:
    """Return the address, or raise StorageError if it names a file that does not exist."""
    path = path_of_address(address)
    if path is not None and not path.exists():
        raise StorageError(f"There is no file '{path}'.")
    return address


def path_of_address(address: str) -> Path | None:
    """Return the path in `file:votes.db` or `file:///srv/votes.db`, or None for other addresses."""
    kind, _, rest = address.partition(":")
    if kind != "file" or not rest or (rest.startswith("//") and not rest.startswith("///")):
        return None
    return Path(rest[2:] if rest.startswith("///") else rest)


def database_address(folder: Path, name: str) -> str:
    """Return the address of the database file in the folder of an app, whatever its name."""
    found = sorted(folder.glob("*.db"))
    return f"file:{found[0] if found else folder / f'{name}.db'}"


@contextmanager
def new_folder(folder: Path) -> Generator[Path]:
    """Yield a draft folder to fill, which becomes `folder` at the end; on an error, remove it."""
    draft = folder.with_name(f"{folder.name}.new")
    with file_errors(draft):
        # A process that was killed leaves its draft behind.
        if draft.exists():
            shutil.rmtree(draft)
        create_folder(draft)
    try:
        yield draft
        with file_errors(folder):
            draft.rename(folder)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise


# Sockets and the public URL


@dataclass(frozen=True, slots=True)
class PublicUrl:
    """The URL that people use, without a trailing slash, and the proxies in front of it.

    `proxies` are networks with a trusted X-Forwarded-For header. `is_local` means that only this
    machine can reach the server. With `tls`, the server itself speaks HTTPS. People can sign in
    with the identity `provider`.
    """

    url: str
    proxies: tuple[str, ...] = ()
    is_local: bool = False
    tls: ssl.SSLContext | None = None
    provider: Provider | None = None

    @property
    def secure_cookies(self) -> bool:
        """Return whether people come over TLS, so that cookies may be sent over TLS only."""
        return self.url.startswith("https://")

    def settings(self) -> Settings:
        """Return web settings for an app behind this URL."""
        return Settings(
            trusted_origins=(self.url,),
            proxies=self.proxies,
            secure_cookies=self.secure_cookies,
            public_url=self.url,
            provider=self.provider,
        )


def resolve_public_url(named: str | None, proxies: tuple[str, ...], url: str) -> PublicUrl:
    """Return the URL named by the operator, or `url`, which the server listens on."""
    address = (named or url).rstrip("/")
    scheme, _, host = address.partition("://")
    if named and (scheme not in ("http", "https") or not host_name(host)):
        raise ListenError(
            f"--public expects a URL without a path, such as https://vote.example.org, but got "
            f"'{named}'. Write letters other than a to z in Punycode (xn--…)."
        )
    is_local = all(is_loopback(host_name(each.partition("://")[2])) for each in (address, url))
    public = PublicUrl(address, proxies, is_local)
    try:
        public.settings()
    except ValueError as error:
        raise ListenError(
            f"--proxy expects a network such as 10.0.0.0/8 or 127.0.0.1: {error}."
        ) from error
    return public


@dataclass(frozen=True, slots=True)
class ListenOptions:
    """The address to listen on, the public URL, and trusted proxies.

    With `sample` or `print_emails`, the server must be local: see `check_local_options`. With
    `tls_files`, a certificate and its key as PEM, the server speaks HTTPS. `oidc` is the URL of an
    identity provider.
    """

    host: str
    port: int
    public: str | None = None
    proxies: tuple[str, ...] = ()
    tls_files: tuple[Path | None, Path | None] = (None, None)
    sample: bool = False
    print_emails: bool = False
    oidc: str | None = None


def _load_tls(options: ListenOptions) -> ssl.SSLContext | None:
    certificate, key = options.tls_files
    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        raise ListenError("Use --tls-cert and --tls-key together.")
    if options.public is not None and not options.public.startswith("https://"):
        raise ListenError(
            f"With --tls-cert, --public expects a URL with https://, but got '{options.public}'."
        )
    return load_tls(certificate, key)


def check_local_options(options: ListenOptions, public: PublicUrl) -> None:
    """Raise ListenError for options that would let other machines sign in."""
    reasons = {
        "--sample": options.sample and "creates accounts with a publicly known password",
        "--print-emails": options.print_emails
        and "prints links that let anyone who reads them sign in",
    }
    for name, reason in reasons.items():
        if reason and not public.is_local:
            raise ListenError(
                f"{name} {reason}, and other machines can reach {public.url}. Leave out {name}, "
                "or listen on 127.0.0.1 without --public."
            )


@contextmanager
def listen(options: ListenOptions) -> Generator[tuple[socket.socket, str, PublicUrl]]:
    """Yield a listening socket, its URL, and the URL that people use.

    Ctrl-C and SIGTERM end the block, at any point within it, and the program continues after it.
    """
    tls = _load_tls(options)
    provider = None if options.oidc is None else parse_oidc_url(options.oidc)
    with open_listener(options) as listener, _stop_on_signals():
        # Nobody can open 0.0.0.0, which stands for all addresses.
        host = (options.host in ("0.0.0.0", "::") and lan_address()) or options.host
        url = http_url(host, listener.getsockname()[1], is_tls=tls is not None)
        resolved = resolve_public_url(options.public, options.proxies, url)
        public = replace(resolved, tls=tls, provider=provider)
        check_local_options(options, public)
        yield listener, url, public


# Set by a signal. Python drops an exception that is raised in a destructor or a weakref callback,
# so a KeyboardInterrupt may get lost; the server looks here when it starts.
_stop_requested = threading.Event()


def _request_stop(_number: int, _frame: FrameType | None) -> None:
    _stop_requested.set()
    raise KeyboardInterrupt


@contextmanager
def _stop_on_signals() -> Generator[None]:
    _stop_requested.clear()
    numbers = [signal.SIGTERM]
    # A shell starts background jobs with SIGINT ignored, and that is respected.
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        numbers.append(signal.SIGINT)
    previous = {number: signal.signal(number, _request_stop) for number in numbers}
    try:
        yield
    except KeyboardInterrupt:
        typer.echo("\nStopped. Your data is saved.")
    finally:
        _stop_requested.clear()
        for number, handler in previous.items():
            signal.signal(number, handler)


def open_listener(options: ListenOptions) -> socket.socket:
    """Return a listening socket, or raise ListenError."""
    host, port = options.host, options.port
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        # Python adds the address to some of these messages.
        reason = (error.strerror or str(error)).partition(" (")[0]
        raise ListenError(
            f"Cannot listen on {host} port {port}: {reason}. Choose another port with --port, or "
            "--port 0 for any free one."
        ) from error


def http_url(host: str, port: int, *, is_tls: bool = False) -> str:
    """Return the URL of a host and port."""
    scheme = "https" if is_tls else "http"
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"


class Server(uvicorn.Server):
    """A server that ends live streams and rooms when it stops. With `tls`, it speaks HTTPS."""

    def __init__(self, config: uvicorn.Config, tls: ssl.SSLContext | None = None) -> None:
        super().__init__(config)
        self._tls = tls

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, unless a signal came before this server handled signals."""
        self.config.ssl = self._tls
        await super().startup(sockets)
        tune_for_serving()
        if _stop_requested.is_set():
            self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End live streams, then wait for the other requests in progress."""
        close_streams()
        await super().shutdown(sockets)


def server_config(app: ASGIApp) -> uvicorn.Config:
    """Return the configuration of uvicorn for an app."""
    descriptors = resource.getrlimit(resource.RLIMIT_NOFILE)[0] - _OTHER_DESCRIPTORS
    return uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="off",
        limit_concurrency=max(1, min(CONNECTIONS, descriptors)),
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        http="httptools",
        ws=WebSocketProtocol,
        # Compression costs each message 15 µs and each connection 35 KiB.
        ws_per_message_deflate=False,
        ws_max_size=WEBSOCKET_MESSAGE_BYTES,
        ws_ping_interval=20,
        ws_ping_timeout=20,
    )


def serve(app: ASGIApp, listener: socket.socket, public: PublicUrl) -> None:
    """Serve until a signal comes, and answer the requests in progress before returning."""
    # Each connection needs a descriptor, and the usual limit is 1,024.
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    # After a graceful shutdown uvicorn raises the signal again, and `listen` handles it.
    Server(server_config(app), public.tls).run(sockets=[listener])


# Terminal output


def print_running(name: str, url: str) -> None:
    """Print where `name` is running and how to stop it."""
    typer.echo(f"\n{name} is running at {typer.style(url, bold=True)} (press Ctrl-C to stop)")


def print_rows(rows: Iterable[tuple[str, str]], *, width: int = _LABEL_WIDTH) -> None:
    """Print labels and values in two columns."""
    for label, value in rows:
        typer.echo(f"  {label:<{width}}{value}")


@contextmanager
def progress_bar(label: str) -> Generator[Callable[[int, int], None]]:
    """Show a progress bar on a terminal and yield a function that takes `done` and `total`."""
    console = Console(stderr=True)
    columns = (TextColumn(label), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as progress:
        task = progress.add_task(label, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)
