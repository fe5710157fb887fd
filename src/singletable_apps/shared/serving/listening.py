"""Where a command listens, until a signal asks it to stop."""

from __future__ import annotations

import signal
import socket
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

import typer

from singletable_apps.shared.serving.public import Public, public_of
from singletable_apps.shared.serving.refusing import ListeningRefused


@dataclass(frozen=True, slots=True)
class Listening:
    """Where to listen, under which address people come, and which proxies are believed."""

    host: str
    port: int
    public: str | None = None
    proxies: tuple[str, ...] = ()


@contextmanager
def listening(asked: Listening) -> Generator[tuple[socket.socket, str, Public]]:
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


def listener_of(asked: Listening) -> socket.socket:
    """A socket that listens there."""
    host, port = asked.host, asked.port
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=1024)
    except OSError as problem:
        # Python adds to some of these where it was tried, which is said here already.
        why = (problem.strerror or str(problem)).partition(" (")[0]
        raise ListeningRefused(
            f"Nobody can listen on {host} port {port}: {why}. Name another port with --port, or 0 "
            "for one that is free."
        ) from problem


def url_of(host: str, port: int) -> str:
    """The address of a host and port for a browser."""
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
