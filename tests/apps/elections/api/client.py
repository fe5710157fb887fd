"""Clients of the elections API, with a service and a clock of their own."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

import httpx2
from fastapi import FastAPI
from fastapi.testclient import TestClient

from singletable import connect
from singletable_apps.elections.api import (
    PREFIX,
    ApiSettings,
    Limits,
    attach,
    make_elections_app,
)
from singletable_apps.elections.keys import Keys, generate_keys
from singletable_apps.elections.roles import Role
from singletable_apps.elections.service import Elections, open_elections
from singletable_apps.elections.service.context import Settings
from singletable_apps.shared.accounts import Passwords
from singletable_apps.shared.web import Settings as WebSettings

PASSWORD = "several words in a row"
ADDRESS = "https://elections.example"
_APPS: dict[bool, FastAPI] = {}


@dataclass
class Clock:
    """A clock that tests advance."""

    now: datetime = datetime(2027, 1, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **by: float) -> None:
        self.now += timedelta(**by)


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
        return self.http.request(method, f"{PREFIX}{path}", headers=headers, **more)

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
        return self.request(
            "POST",
            f"{at(election)}/ballot",
            json={"rankings": lines},
            headers={"Idempotency-Key": key},
        )


@dataclass
class Api:
    """The API on a new in-memory database. Creating an app is slow, so all share one."""

    app: FastAPI
    elections: Elections
    settings: ApiSettings
    clock: Clock
    clients: dict[str, Client] = field(default_factory=dict[str, Client])

    def activate(self) -> None:
        attach(self.app, self.elections, self.settings)

    def anonymous(self) -> Client:
        http = TestClient(self.app, base_url=ADDRESS, raise_server_exceptions=False)
        return Client("", self, http)

    def register(self, name: str, role: Role | None = None) -> Client:
        """Register someone, who gets the role from the first user; return their client."""
        person = self.anonymous()
        sent = {"name": name, "email": f"{name}@example.org", "password": PASSWORD}
        if code := self.elections.people.setup_code():
            sent["setup_code"] = code
        response = person.post("/register", sent)
        assert response.status_code == 201, response.text
        person.name, person.token = name, response.json()["access_token"]
        if role is not None:
            first = next(iter(self.clients.values()))
            assert first.put(f"/users/{name}/role", {"role": role}).status_code == 200
        self.clients[name] = person
        return person


def make_api(
    *names: str,
    limits: Limits | None = None,
    secure: bool = True,
    newcomer: Role = Role.USER,
    keys: Keys | None = None,
    confirm_registrations: bool = False,
) -> Api:
    """Return an API where these people have registered; the first is the owner."""
    clock = Clock()
    elections = open_elections(
        connect("memory:"),
        keys or generate_keys(),
        settings=Settings(newcomer, "{token}", confirm_registrations),
        clock=clock,
        passwords=Passwords(memory_kib=64, passes=1),
    )
    settings = ApiSettings(web=WebSettings(secure_cookies=secure), limits=limits or Limits.off())
    if secure not in _APPS:
        _APPS[secure] = make_elections_app(elections, settings=settings)
    api = Api(_APPS[secure], elections, settings, clock)
    for name in names:
        api.register(name)
    return api


def at(election: str) -> str:
    """Return the path of an election."""
    return f"/elections/{quote(election, safe='')}"


def set_up(owner: Client, election: str, *candidates: str, **terms: object) -> None:
    """Create an election with candidates."""
    assert owner.post("/elections", {"name": election, **terms}).status_code == 201
    named = owner.put(f"{at(election)}/candidates", {"candidate_names": candidates})
    assert named.status_code == 200, named.text


def launch(owner: Client, election: str, *, allow_edit: bool = True) -> None:
    response = owner.post(f"{at(election)}/launch", {"allow_edit": allow_edit}, "*")
    assert response.status_code == 200, response.text


def finalize(owner: Client, election: str) -> None:
    response = owner.post(f"{at(election)}/finalize", None, "*")
    assert response.status_code == 200, response.text


def type_of(response: httpx2.Response) -> str:
    """Return the status and the problem type, such as `404 not-found`."""
    return f"{response.status_code} {response.json()['type'].rpartition('/')[2]}"
