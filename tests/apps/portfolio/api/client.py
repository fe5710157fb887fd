"""A server with API clients: visitors, and people who are signed in."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import httpx2
from fastapi import FastAPI
from fastapi.testclient import TestClient

from singletable import Driver, Engine
from singletable_apps.portfolio.api import (
    API,
    ApiSettings,
    Limits,
    attach,
    make_portfolio_app,
)
from singletable_apps.portfolio.entities import Role
from tests.apps.portfolio.support.harness import PASSWORD, World

ADDRESS = "https://ada.example"
OWNER, AUTHOR, OTHER = "ada@example.org", "grace@example.org", "mary@example.org"
# An app takes a tenth of a second to be made, so all servers share one.
_APPS: list[FastAPI] = []


@dataclass
class Server:
    """The app on a world whose site is set up, with an owner and two authors."""

    world: World
    limits: Limits = field(default_factory=Limits.off)

    def __post_init__(self) -> None:
        self.settings = ApiSettings(limits=self.limits)
        if not _APPS:
            _APPS.append(make_portfolio_app(self.world.service, settings=self.settings))
        self.app = _APPS[0]

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
        client = TestClient(
            self.app,
            base_url=ADDRESS,
            client=(address, 50000),
            raise_server_exceptions=False,
            follow_redirects=False,
        )
        return Person(self, client)

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


@dataclass
class Person:
    """Someone who calls the API."""

    server: Server
    client: TestClient
    token: str = ""

    def ask(self, method: str, path: str, **more: Any) -> httpx2.Response:
        attach(self.server.app, self.server.world.service, self.server.settings)
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        headers |= more.pop("headers", {})
        if "tag" in more:
            headers["If-Match"] = more.pop("tag")
        return self.client.request(method, f"{API}{path}", headers=headers, **more)

    def get(self, path: str, **more: Any) -> httpx2.Response:
        return self.ask("GET", path, **more)

    def post(self, path: str, body: object = None, **more: Any) -> httpx2.Response:
        return self.ask("POST", path, json=body, **more)

    def put(self, path: str, body: object = None, **more: Any) -> httpx2.Response:
        return self.ask("PUT", path, json=body, **more)

    def delete(self, path: str, **more: Any) -> httpx2.Response:
        return self.ask("DELETE", path, **more)

    def writes(self, title: str = "Notes on the engine", **fields: object) -> dict[str, Any]:
        """Create a post and return it."""
        body: dict[str, object] = {"title": title, "markdown": "It weaves *patterns*.", **fields}
        if "content" in fields:
            del body["markdown"]
        self.server.world.clock.move(seconds=1)
        blog: dict[str, Any] = data(self.post("/blogs", body), 201)
        return blog


@cache
def _set_up() -> Engine:
    engine = Engine.in_memory()
    Server(World(engine)).set_up()
    return engine


def make_server(driver: Driver | None = None, limits: Limits | None = None) -> Server:
    """Return a server whose site is set up."""
    server = Server(World(driver or _set_up().copy()), limits or Limits.off())
    return server if driver is None else server.set_up()


def data(answer: httpx2.Response, status: int = 200) -> Any:
    """Return the data of a success."""
    assert answer.status_code == status, answer.text
    body = answer.json()
    assert set(body) == {"success", "data"}
    assert body["success"] is True
    return body["data"]


def problem(answer: httpx2.Response) -> tuple[int, str, list[str]]:
    """Return the status of a problem, its type and the places that it names."""
    body = answer.json()
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    assert isinstance(body["error"], str)
    assert body["status"] == answer.status_code
    places = [
        fault.get("pointer", fault.get("parameter", fault.get("header")))
        for fault in body.get("errors", [])
    ]
    return answer.status_code, body["type"].rpartition("/")[2], places
