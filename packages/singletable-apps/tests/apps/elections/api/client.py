"""Clients of the elections API, on a new world."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote

import httpx2
from fastapi import FastAPI
from fastapi.testclient import TestClient

from singletable import connect
from singletable_apps.elections.app import APP
from singletable_apps.elections.roles import Role
from singletable_apps.elections.service import Elections, ElectionSettings
from singletable_apps.elections.urls import API
from singletable_apps.shared.frame import AppState, Limits
from singletable_apps.shared.web import Settings
from tests.apps.support.elections.world import World

HOST = "elections.example"
COOKIE = "__Host-elections_refresh"
_APPS: dict[bool, FastAPI] = {}


@dataclass
class Client:
    """A client of one user, which keeps the cookie and sends the token."""

    name: str
    api: Api
    http: TestClient
    token: str = ""

    def request(
        self, method: str, path: str, tag: str | None = None, **more: Any
    ) -> httpx2.Response:
        self.api.activate()
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        if tag is not None:
            headers["If-Match"] = tag
        headers |= more.pop("headers", {})
        return self.http.request(method, f"{API}{path}", headers=headers, **more)

    def get(self, path: str, **more: Any) -> httpx2.Response:
        return self.request("GET", path, **more)

    def post(self, path: str, body: object = None, tag: str | None = None) -> httpx2.Response:
        return self.request("POST", path, tag, json=body)

    def put(self, path: str, body: object, tag: str | None = "*") -> httpx2.Response:
        return self.request("PUT", path, tag, json=body)

    def patch(self, path: str, body: object, tag: str | None = "*") -> httpx2.Response:
        return self.request("PATCH", path, tag, json=body)

    def delete(self, path: str, tag: str | None = "*") -> httpx2.Response:
        return self.request("DELETE", path, tag)

    def tag(self, path: str) -> str:
        return self.get(path).headers["ETag"]

    def cast(self, election: str, ranks: dict[str, int | None], key: str) -> httpx2.Response:
        lines = [{"candidate_name": name, "rank": rank} for name, rank in ranks.items()]
        headers = {"Idempotency-Key": key}
        path = f"{at(election)}/ballot"
        return self.request("POST", path, json={"rankings": lines}, headers=headers)

    def pages(self, path: str, limit: int, **filters: str) -> list[list[Any]]:
        """Return all pages of a list, by their cursors."""
        found: list[list[Any]] = []
        cursor: dict[str, str] = {}
        while True:
            response = self.get(path, params={"limit": limit, **filters, **cursor})
            assert response.status_code == 200, response.text
            found.append(response.json()["items"])
            cursor = {"cursor": response.json()["next"]}
            assert ("Link" in response.headers) == (cursor["cursor"] is not None)
            if cursor["cursor"] is None:
                return found


@dataclass
class Api:
    """The API on a new world. Creating an app is slow, so all share one."""

    world: World
    app: FastAPI
    limits: Limits
    clients: dict[str, Client] = field(default_factory=dict[str, Client])

    @property
    def elections(self) -> Elections:
        return self.world.service

    def activate(self) -> None:
        """Let the shared app use the service of this world."""
        state: AppState[Elections] = self.app.state.frame
        replace(state, service=self.elections, limits=self.limits).attach(self.app)

    def anonymous(self) -> Client:
        http = TestClient(self.app, base_url=f"https://{HOST}", raise_server_exceptions=False)
        return Client("", self, http)

    def register(self, name: str, role: Role | None = None) -> Client:
        """Register someone, who gets the role from the first user; return their client."""
        [user] = self.world.register(name)
        person = self.clients[name] = self.anonymous()
        session = self.elections.auth.start_session(user, "tests")
        person.name, person.token = name, session.access
        person.http.cookies.set(COOKIE, session.refresh, HOST)
        if role is not None:
            owner = self.elections.context.read.get_user(next(iter(self.clients)))
            self.elections.people.change_role(owner, name, role)
        return person

    def create(self, owner: str, name: str, candidates: Sequence[str] = (), **terms: Any) -> None:
        """Create an election."""
        user = self.elections.context.read.get_user(owner)
        self.elections.lifecycle.create(user, name, ElectionSettings(**terms))
        self.elections.lifecycle.set_candidates(user, name, candidates)

    def launch(
        self, owner: str, name: str, candidates: Sequence[str] = ("Red", "Green"), **terms: Any
    ) -> None:
        """Create and launch an election whose ballots can be changed."""
        user = self.elections.context.read.get_user(owner)
        self.world.launch(user, name, candidates, terms=ElectionSettings(**terms))

    def close(self, owner: str, name: str) -> None:
        """Close an election."""
        self.elections.lifecycle.close(self.elections.context.read.get_user(owner), name)


def make_api(
    *names: str,
    limits: Limits | None = None,
    secure: bool = True,
    confirm_registrations: bool = False,
) -> Api:
    """Return an API where these people have registered; the first is the owner."""
    world = World(connect("memory:"))
    world.service = world.open_service(confirm_registrations=confirm_registrations)
    if secure not in _APPS:
        _APPS[secure] = APP.make_app(world.service, Settings(secure_cookies=secure))
    api = Api(world, _APPS[secure], {**dict.fromkeys(APP.limits), **(limits or {})})
    for name in names:
        api.register(name)
    return api


def at(election: str) -> str:
    """Return the path of an election."""
    return f"/elections/{quote(election, safe='')}"


def type_of(response: httpx2.Response) -> str:
    """Return the status and the problem type, such as `404 not-found`."""
    return f"{response.status_code} {response.json()['type'].rpartition('/')[2]}"
