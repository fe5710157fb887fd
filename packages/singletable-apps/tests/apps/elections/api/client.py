"""Clients of the elections API, on a new world."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import httpx2

from singletable import connect
from singletable_apps.elections.app import APP
from singletable_apps.elections.roles import Role
from singletable_apps.elections.service import Elections, ElectionSettings
from singletable_apps.shared.frame import Limits
from tests.apps.support.api_client import Caller, type_of
from tests.apps.support.elections.world import World
from tests.apps.support.server import AppServer

__all__ = ["Api", "Client", "at", "make_api", "type_of"]
HOST = "elections.example"
COOKIE = "__Host-elections_refresh"


@dataclass(kw_only=True)
class Client(Caller):
    """A client of one user, which keeps the cookie and sends the token."""

    name: str = ""

    def put(
        self, path: str, body: object = None, tag: str | None = "*", **more: Any
    ) -> httpx2.Response:
        return super().put(path, body, tag, **more)

    def patch(self, path: str, body: object, tag: str | None = "*") -> httpx2.Response:
        return self.ask("PATCH", path, tag, json=body)

    def delete(self, path: str, tag: str | None = "*", **more: Any) -> httpx2.Response:
        return super().delete(path, tag, **more)

    def tag(self, path: str) -> str:
        return self.get(path).headers["ETag"]

    def cast(self, election: str, ranks: dict[str, int | None], key: str) -> httpx2.Response:
        lines = [{"candidate_name": name, "rank": rank} for name, rank in ranks.items()]
        headers = {"Idempotency-Key": key}
        path = f"{at(election)}/ballot"
        return self.ask("POST", path, json={"rankings": lines}, headers=headers)

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


class Api(AppServer[World]):
    """The API on a new world; `clients` are those of the people who have registered."""

    spec = APP

    def __init__(self, world: World, limits: Limits | None = None, home: str = "") -> None:
        super().__init__(world, limits, home)
        self.clients: dict[str, Client] = {}

    @property
    def elections(self) -> Elections:
        return self.world.service

    def anonymous(self) -> Client:
        return Client(self.client(), APP.api, self.activate)

    def register(self, name: str, role: Role | None = None) -> Client:
        """Register someone, who gets the role from the first user; return their client."""
        [user] = self.world.register(name)
        person = self.clients[name] = self.anonymous()
        session = self.elections.auth.start_session(user, "tests")
        person.name, person.token = name, session.access
        person.client.cookies.set(COOKIE, session.refresh, HOST)
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
    world.service = world.open(confirm_registrations=confirm_registrations)
    api = Api(world, limits, f"{'https' if secure else 'http'}://{HOST}")
    for name in names:
        api.register(name)
    return api


def at(election: str) -> str:
    """Return the path of an election."""
    return f"/elections/{quote(election, safe='')}"
