"""Where a service listens, and what it believes of those who come from there."""

from __future__ import annotations

import re
import socket
from dataclasses import dataclass, replace

from singletable_apps.elections.api import ApiSettings
from singletable_apps.elections.api.settings import BODY_LIMIT
from singletable_apps.elections.pages import PREFIX as PAGES
from singletable_apps.elections.service import Settings
from singletable_apps.elections.terminal.refusing import ListeningRefused

_ORIGIN = re.compile(r"https?://[^\s/?#@{}\\]+")


@dataclass(frozen=True, slots=True)
class Listening:
    """Where to listen, under which address people come, and which way letters go."""

    host: str
    port: int
    public: str | None = None
    proxies: tuple[str, ...] = ()
    letters: bool = False
    smtp: str | None = None


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


def settings_for(asked: Listening, url: str) -> tuple[Settings, ApiSettings]:
    """What the service has to know of the address that people use, which may be another."""
    public = (asked.public or url).rstrip("/")
    if not _ORIGIN.fullmatch(public):
        raise ListeningRefused(
            f"--public takes an address as https://vote.example.org, and '{asked.public}' is none."
        )
    api = ApiSettings()
    try:
        web = replace(
            api.web, trusted_origins=(public,), proxies=asked.proxies, uploads={PAGES: BODY_LIMIT}
        )
    except ValueError as problem:
        raise ListeningRefused(
            f"--proxy takes a network as 10.0.0.0/8 or 127.0.0.1, and {problem}."
        ) from problem
    return (
        Settings(reset_link=f"{public}/elections/reset?token={{token}}"),
        replace(api, web=web, secure_cookies=public.startswith("https://")),
    )
