"""A server with API clients: hosts, players and the administrator, each with a token."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import httpx2
from fastapi import FastAPI
from fastapi.testclient import TestClient

from singletable_apps.games.api import API, ApiSettings, attach, make_games_app
from singletable_apps.games.entities import Game
from singletable_apps.games.limits import Limits
from singletable_apps.games.tokens import Role
from tests.apps.games.support.world import HOST, World

ADDRESS = "https://games.example"
# An app takes a tenth of a second to be made, so all servers share one.
_APPS: list[FastAPI] = []


@dataclass
class Server:
    """The API on a world."""

    world: World
    limits: Limits = field(default_factory=Limits.off)

    def __post_init__(self) -> None:
        self.settings = ApiSettings(limits=self.limits)
        if not _APPS:
            _APPS.append(make_games_app(self.world.service, settings=self.settings))
        self.app = _APPS[0]

    def caller(self, token: str = "") -> Caller:
        """Return a client with this token."""
        client = TestClient(
            self.app, base_url=ADDRESS, raise_server_exceptions=False, follow_redirects=False
        )
        return Caller(self, client, token)

    def host(self) -> Caller:
        """Return the host to whom the games of the tests belong."""
        return self.caller(self.world.service.context.tokens.host_token(HOST))

    def admin(self) -> Caller:
        """Return the administrator."""
        return self.caller(self.world.service.context.tokens.admin_token())

    def seat(self, game: Game, role: Role) -> Caller:
        """Return a client with a role other than a player."""
        return self.caller(self.world.service.context.issue_seat(game, role))


@dataclass
class Caller:
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


def problem(answer: httpx2.Response) -> tuple[int, str, list[str]]:
    """Return the status of a problem, its type and the places that it names."""
    body = answer.json()
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    places = [
        fault.get("pointer", fault.get("parameter", fault.get("header")))
        for fault in body.get("errors", [])
    ]
    return answer.status_code, body["type"].rpartition("/")[2], places
