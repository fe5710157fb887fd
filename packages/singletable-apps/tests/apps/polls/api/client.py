"""A server with API clients, each with its own cookies, and a clock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import httpx2

from singletable import Driver, Engine
from singletable.testing import StoreClock
from singletable_apps.polls.app import APP
from singletable_apps.polls.service import Polls
from singletable_apps.shared.frame import Limits
from tests.apps.polls.support.harness import World
from tests.apps.support.api_client import Caller, places, type_of
from tests.apps.support.server import AppServer

__all__ = ["Made", "Person", "Server", "make_server", "places", "type_of"]
ADDRESS = "https://polls.example"
OPTIONS = ["Go", "Rust", "Python"]
COOKIE = "__Host-polls_browser"


class Server(AppServer[World]):
    """The API of polls."""

    spec = APP

    @property
    def polls(self) -> Polls:
        return self.world.service

    @property
    def clock(self) -> StoreClock:
        return self.world.clock

    def new_visitor(self) -> Person:
        """Return a visitor with a new browser."""
        return Person(self.client(), APP.api, self.activate, server=self)


@dataclass(kw_only=True)
class Person(Caller):
    """A visitor whose browser keeps its cookies."""

    server: Server

    def ask(
        self, method: str, path: str, tag: str | None = None, *, key: str = "", **more: Any
    ) -> httpx2.Response:
        """Send a request, with the key of a poll."""
        self.token = key
        return super().ask(method, path, tag, **more)

    def makes(self, **terms: object) -> Made:
        """Create a poll."""
        answer = self.post("", {"title": "Best?", "candidates": OPTIONS, **terms})
        assert answer.status_code == 201, answer.text
        return Made(f"/{answer.json()['id']}", answer.json()["adminKey"])

    def votes(self, poll: Made, *rankings: str, **more: Any) -> httpx2.Response:
        body = {"rankings": list(rankings)}
        if "code" in more:
            body |= {"code": more.pop("code")}
        return self.post(f"{poll.path}/vote", body, **more)


@dataclass(frozen=True)
class Made:
    """Where a poll is, and its key."""

    path: str
    key: str


def make_server(
    *, limits: Limits | None = None, secure: bool = True, driver: Driver | None = None
) -> Server:
    """Return a new server."""
    home = ADDRESS if secure else ADDRESS.replace("https:", "http:")
    return Server(World(driver or Engine.in_memory()), limits, home)
