"""A server with API clients: visitors, and people who are signed in."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import httpx2

from singletable import Driver, Engine
from singletable_apps.portfolio.app import APP
from singletable_apps.portfolio.entities import Role
from singletable_apps.shared.frame import Limits
from tests.apps.portfolio.support.harness import PASSWORD, World
from tests.apps.support.api_client import Caller
from tests.apps.support.server import AppServer

ADDRESS = "https://ada.example"
OWNER, AUTHOR, OTHER = "ada@example.org", "grace@example.org", "mary@example.org"


class Server(AppServer[World]):
    """The app on a world whose site is set up, with an owner and two authors."""

    spec = APP
    home = ADDRESS

    def set_up(self) -> Server:
        """Create the owner and two authors."""
        owner = self.world.set_up()
        accounts = self.world.service.accounts
        for name, email in (("Grace", AUTHOR), ("Mary", OTHER)):
            accounts.invite(owner, name, email, Role.AUTHOR)
            token = self.world.mailbox.emails[-1].text.partition("token=")[2].split()[0]
            accounts.reset(token, PASSWORD)
        self.world.mailbox.emails.clear()
        return self

    def visitor(self, address: str = "192.0.2.1") -> Person:
        """Return a client without a token."""
        return Person(self.client(address), APP.api, self.activate, world=self.world)

    def sign_in(self, email: str) -> Person:
        """Return a client with an access token."""
        person = self.visitor()
        person.token = self.world.service.accounts.sign_in(email, PASSWORD).access
        return person

    @property
    def owner(self) -> Person:
        """Return the owner of the site."""
        return self.sign_in(OWNER)

    @property
    def author(self) -> Person:
        """Return an author."""
        return self.sign_in(AUTHOR)


@dataclass(kw_only=True)
class Person(Caller):
    """Someone who calls the API."""

    world: World

    def writes(self, title: str = "Notes on the engine", **fields: object) -> dict[str, Any]:
        """Create a post and return it."""
        body: dict[str, object] = {"title": title, "markdown": "It weaves *patterns*.", **fields}
        if "content" in fields:
            del body["markdown"]
        self.world.clock.advance(seconds=1)
        blog: dict[str, Any] = data(self.post("/blogs", body), 201)
        return blog


@cache
def _set_up() -> Engine:
    engine = Engine.in_memory()
    Server(World(engine)).set_up()
    return engine


def make_server(driver: Driver | None = None, limits: Limits | None = None) -> Server:
    """Return a server whose site is set up."""
    server = Server(World(driver or _set_up().copy()), limits)
    return server if driver is None else server.set_up()


def data(answer: httpx2.Response, status: int = 200) -> Any:
    """Return the body of a success."""
    assert answer.status_code == status, answer.text
    return answer.json()
