"""A server with API clients: an administrator, a manager and two users."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import httpx2
from fastapi import FastAPI
from fastapi.testclient import TestClient

from singletable import Engine
from singletable_apps.skills.api import API, ApiSettings, attach, make_skills_app
from singletable_apps.skills.entities import Role
from singletable_apps.skills.limits import Limits
from tests.apps.skills.support.world import Filling, World

ADDRESS = "https://skills.example"
PEOPLE: Filling = {
    "ada": {"Go": "Expert", "Python": "Advanced"},
    "bob": {"Go": "Beginner"},
    "mia": {"Python": ("Expert", 8)},
    "joan": {},
}
ROLES = {"ada": Role.ADMIN, "mia": Role.MANAGER}
# An app takes a tenth of a second to be made, so all servers share one.
_APPS: list[FastAPI] = []


@dataclass
class Server:
    """The app on a world with people: Ada, an administrator, Mia, a manager, Bob and Joan."""

    world: World
    limits: Limits = field(default_factory=Limits.off)

    def __post_init__(self) -> None:
        self.settings = ApiSettings(limits=self.limits)
        if not _APPS:
            _APPS.append(make_skills_app(self.world.service, settings=self.settings))
        self.app = _APPS[0]

    def visitor(self) -> Person:
        """Return a client without a token."""
        client = TestClient(
            self.app, base_url=ADDRESS, raise_server_exceptions=False, follow_redirects=False
        )
        return Person(self, client)

    def sign_in(self, username: str) -> Person:
        """Return a client with an access token."""
        person = self.visitor()
        accounts = self.world.service.accounts
        person.token = accounts.start_session(self.world.user(username)).access
        return person


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
        return self.client.request(method, f"{API}{path}", headers=headers, **more)

    def get(self, path: str, **more: Any) -> httpx2.Response:
        return self.ask("GET", path, **more)

    def post(self, path: str, body: object = None, **more: Any) -> httpx2.Response:
        return self.ask("POST", path, json=body, **more)

    def put(self, path: str, body: object = None, **more: Any) -> httpx2.Response:
        return self.ask("PUT", path, json=body, **more)

    def delete(self, path: str, **more: Any) -> httpx2.Response:
        return self.ask("DELETE", path, **more)


@cache
def filled_engine() -> Engine:
    """Return an engine with people, to be copied."""
    engine = Engine.in_memory()
    World(engine).fill(PEOPLE, roles=ROLES)
    return engine


def filled_world() -> World:
    """Return a world in memory with people: a copy, which is faster than filling it again."""
    return World(filled_engine().copy())


def make_server() -> Server:
    """Return a server with people."""
    return Server(filled_world())


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
