"""A service with people who ask it over HTTP, and a clock that they share."""

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
from singletable_apps.elections.service import Elections, Settings, open_elections
from singletable_apps.shared.accounts import Passwords
from singletable_apps.shared.web import Settings as WebSettings

PASSWORD = "several words in a row"
ADDRESS = "https://elections.example"
_APPS: dict[bool, FastAPI] = {}


@dataclass
class Clock:
    """A time that moves when it is told to."""

    now: datetime = datetime(2027, 1, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **by: float) -> None:
        self.now += timedelta(**by)


@dataclass
class Person:
    """Somebody with a browser of their own, which keeps the cookie."""

    name: str
    town: Town
    browser: TestClient
    token: str = ""

    def ask(self, method: str, path: str, tag: str | None = None, **more: Any) -> httpx2.Response:
        self.town.opens()
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        if tag is not None:
            headers["If-Match"] = tag
        headers |= more.pop("headers", {})
        return self.browser.request(method, f"{PREFIX}{path}", headers=headers, **more)

    def get(self, path: str, **more: Any) -> httpx2.Response:
        return self.ask("GET", path, **more)

    def post(self, path: str, body: object = None, tag: str | None = None) -> httpx2.Response:
        return self.ask("POST", path, tag, json=body)

    def put(self, path: str, body: object, tag: str | None = "*") -> httpx2.Response:
        return self.ask("PUT", path, tag, json=body)

    def patch(self, path: str, body: object, tag: str | None = "*") -> httpx2.Response:
        return self.ask("PATCH", path, tag, json=body)

    def delete(self, path: str, tag: str | None = "*") -> httpx2.Response:
        return self.ask("DELETE", path, tag)

    def tag(self, path: str) -> str:
        return self.get(path).headers["ETag"]

    def cast(self, election: str, ranks: dict[str, int | None], key: str) -> httpx2.Response:
        lines = [{"candidate_name": name, "rank": rank} for name, rank in ranks.items()]
        return self.ask(
            "POST",
            f"{at(election)}/ballot",
            json={"rankings": lines},
            headers={"Idempotency-Key": key},
        )


@dataclass
class Town:
    """The app, the service behind it, and the clock.

    An app takes a tenth of a second to be made, so all towns share one, and open it when asked.
    """

    app: FastAPI
    elections: Elections
    settings: ApiSettings
    clock: Clock
    people: dict[str, Person] = field(default_factory=dict[str, Person])

    def opens(self) -> None:
        attach(self.app, self.elections, self.settings)

    def stranger(self) -> Person:
        browser = TestClient(self.app, base_url=ADDRESS, raise_server_exceptions=False)
        return Person("", self, browser)

    def joins(self, name: str, role: Role | None = None) -> Person:
        """Somebody registers, and is given a role by the first who did."""
        person = self.stranger()
        sent = {"name": name, "email": f"{name}@example.org", "password": PASSWORD}
        answer = person.post("/register", sent)
        assert answer.status_code == 201, answer.text
        person.name, person.token = name, answer.json()["access_token"]
        if role is not None:
            first = next(iter(self.people.values()))
            assert first.put(f"/users/{name}/role", {"role": role}).status_code == 200
        self.people[name] = person
        return person


def make_town(
    *names: str,
    limits: Limits | None = None,
    secure: bool = True,
    newcomer: Role = Role.USER,
    keys: Keys | None = None,
) -> Town:
    """A town where these have registered, the first of them as its owner."""
    clock = Clock()
    elections = open_elections(
        connect("memory:"),
        keys or generate_keys(),
        settings=Settings(newcomer=newcomer, reset_link="{token}"),
        clock=clock,
        passwords=Passwords(memory_kib=64, passes=1),
    )
    settings = ApiSettings(web=WebSettings(secure_cookies=secure), limits=limits or Limits.off())
    if secure not in _APPS:
        _APPS[secure] = make_elections_app(elections, settings=settings)
    town = Town(_APPS[secure], elections, settings, clock)
    for name in names:
        town.joins(name)
    return town


def at(election: str) -> str:
    """The address of an election."""
    return f"/elections/{quote(election, safe='')}"


def set_up(owner: Person, election: str, *candidates: str, **terms: object) -> None:
    """An election with candidates."""
    assert owner.post("/elections", {"name": election, **terms}).status_code == 201
    named = owner.put(f"{at(election)}/candidates", {"candidate_names": candidates})
    assert named.status_code == 200, named.text


def launch(owner: Person, election: str, *, allow_edit: bool = True) -> None:
    answer = owner.post(f"{at(election)}/launch", {"allow_edit": allow_edit}, "*")
    assert answer.status_code == 200, answer.text


def finalize(owner: Person, election: str) -> None:
    answer = owner.post(f"{at(election)}/finalize", None, "*")
    assert answer.status_code == 200, answer.text


def type_of(answer: httpx2.Response) -> str:
    """The kind of problem, after the status that it has."""
    return f"{answer.status_code} {answer.json()['type'].rpartition('/')[2]}"
