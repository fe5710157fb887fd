"""Check who may do what: every route of an app, as every kind of caller, against a table.

A table says for each route who may use it. Its objects are those of someone else, so that a caller
who is not in the table cannot reach them by their ids. A new route without an entry fails the test.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import cycle
from typing import Any, TypeAlias

import httpx2
import pytest
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from fastapi.testclient import TestClient

from singletable import Call, ConditionFailed
from tests.apps.support.odd_text import (
    FORMATS,
    is_valid_file,
    noncharacters_in,
    odd_bodies,
    store_odd_text,
)
from tests.apps.support.server import AppServer

Table: TypeAlias = dict[str, frozenset[str]]
Refusals: TypeAlias = dict[str, dict[str, int]]
Body: TypeAlias = Mapping[str, Any]
SAFE = ("GET", "HEAD")
# What the page of an attacker makes a browser send; the last is a browser from before 2023.
FOREIGN_ORIGINS: tuple[dict[str, str], ...] = (
    {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"},
    {"Origin": "null", "Sec-Fetch-Site": "same-site"},
    {"Origin": "https://evil.example"},
)


def entries(prefix: str, routes: Mapping[str, str]) -> Table:
    """Return a table of routes by callers: `{"admin owner": "GET /people, POST /people"}`."""
    return {
        f"{method} {prefix}{path}": frozenset(callers.split())
        for callers, listed in routes.items()
        for method, _, path in (route.strip().partition(" ") for route in listed.split(","))
    }


def refusals(prefix: str, routes: Mapping[str, str]) -> Refusals:
    """Return the statuses of refusals: `{"404": "GET /a", "403 voter": "GET /b, POST /b"}`.

    Without callers, a status is that of everyone who is refused.
    """
    found: Refusals = {}
    for key, listed in routes.items():
        status, *callers = key.split()
        for route in entries(prefix, {"": listed}):
            found[route] = dict.fromkeys(callers or ["everyone"], int(status))
    return found


def routes_of(app: FastAPI) -> set[str]:
    """Return the method and path of each route, such as `GET /skills/people/{username}`.

    Those of an identity provider are left out, because the sites of these tests have none.
    """
    return {
        f"{method} {route.path}"
        for route in iter_route_contexts(app.routes)
        for method in route.methods or ()
        if "/static/" not in str(route.path) and "/provider" not in str(route.path)
    }


@dataclass
class AccessCheck:
    """The callers of an app by their access tokens, and what the requests need.

    `callers` are in the order of their power. `strangers` have no token or an invalid one, and take
    turns. `bodies` are valid: JSON for the API, forms for pages, and queries for reads. `values`
    has the path parameters, and `cookie` is the one with the token. A rejected request must not
    write.

    Someone who is not signed in gets 401 from the API, and is sent from a page to the sign-in page,
    or gets 403 if there is none. Others get 403. `refusals` are the exceptions.
    """

    server: AppServer[Any]
    table: Table
    callers: Mapping[str, str]
    strangers: Mapping[str, str]
    bodies: Mapping[str, Body]
    values: Mapping[str, str]
    refusals: Refusals
    cookie: str = "access"

    def __post_init__(self) -> None:
        self.app, self.driver = self.server.app, self.server.world.driver
        self.calls: list[Call] = self.server.world.calls
        self.api, self.home = self.server.spec.api, self.server.home
        self.sign_in = self.server.state.pages.sign_in or ""
        self._clients = {
            name: self._client(token)
            for name, token in {"nobody": "", **self.strangers, **self.callers}.items()
        }

    def _client(self, token: str) -> TestClient:
        client = self.server.browser_client(**({self.cookie: token} if token else {}))
        if token:
            client.headers["Authorization"] = f"Bearer {token}"
        return client

    def denied(self, *, only_strongest: bool) -> list[str]:
        """Call each route as every caller without permission; return the unexpected answers.

        With `only_strongest`, as the most powerful of them, and as a stranger.
        """
        self.calls.clear()
        strangers = cycle(["nobody", *self.strangers])
        faults: list[str] = []
        for route, allowed in self.table.items():
            names = [name for name in self.callers if name not in allowed]
            names = names[-1:] if only_strongest else names
            for name in (*names, *([] if "nobody" in allowed else [next(strangers)])):
                answer = self.ask(name, route)
                expected = self._refusal(name, route)
                if answer.status_code != expected or (
                    expected == 303 and not self._asks_to_sign_in(answer)
                ):
                    faults.append(f"{_describe(route, name, answer)}, expected {expected}")
        return faults + self._written()

    def allowed(self) -> list[str]:
        """Call each route as the least powerful permitted caller; return the calls that failed."""
        faults: list[str] = []
        order = ["nobody", *self.callers]
        for route in sorted(self.table, key=_position):
            name = next((name for name in order if name in self.table[route]), None)
            if name is None:
                continue
            answer = self.ask(name, route)
            # A form without its fields shows errors, an object may have been deleted before or be
            # in another state, and streams want to be asked for as such.
            if route.startswith(SAFE):
                accepted: tuple[int, ...] = (406, 409, 422)
            else:
                # 410: an earlier request of this test deleted the election.
                accepted = (404, 410, 412)
                accepted += () if route in self.bodies else (400, 409, 422)
            if answer.status_code >= 400 and answer.status_code not in accepted:
                faults.append(_describe(route, name, answer))
            if name != "nobody" and self._asks_to_sign_in(answer):
                faults.append(_describe(route, name, answer))
            caching = answer.headers.get("cache-control", "")
            if name != "nobody" and re.search("public|s-maxage", caching):
                faults.append(f"{route}: private, but others may cache it: {caching}")
        return faults

    def forged(self, name: str) -> list[str]:
        """Send each unsafe request from an attacker's page; return the requests that succeeded."""
        self.calls.clear()
        unsafe = (route for route in self.table if not route.startswith(SAFE))
        answers = [
            (route, str(origin), self.ask(name, route, origin))
            for route, origin in zip(unsafe, cycle(FOREIGN_ORIGINS), strict=False)
        ]
        faults = [_describe(*each) for each in answers if each[2].status_code != 403]
        return faults + self._written()

    def downloads(self) -> set[str]:
        """Read everything in every format as the most powerful caller; return the files' routes."""
        name, files = [*self.callers][-1], set[str]()
        for route in filter(lambda each: each.startswith("GET"), self.table):
            body = self.bodies.get(route, {})
            for form in FORMATS if "{form" in route or "format" in body else ("csv",):
                check = replace(
                    self,
                    values={**self.values, "format": form, "form": form},
                    bodies={route: {**body, "format": form} if "format" in body else body},
                )
                answer = check.ask(name, route)
                assert answer.status_code < 500, _describe(route, name, answer)
                if is_valid_file(answer):
                    files.add(route)
        return files

    def odd_requests(self) -> set[str]:
        """Send a noncharacter in each field as the most powerful caller; return the fields."""
        sent = set[str]()
        for route, body in self.bodies.items():
            for field, odd in odd_bodies(body):
                answer = replace(self, bodies={route: odd}).ask([*self.callers][-1], route)
                assert answer.status_code < 500, _describe(route, field, answer)
                sent.add(f"{route} {field}")
        return sent

    def ask(
        self, name: str, route: str, origin: Mapping[str, str] | None = None
    ) -> httpx2.Response:
        """Send the request of a route, from our own page if no other origin is given."""
        self.server.activate()
        method, _, path = route.partition(" ")
        client, body = self._clients[name], self.bodies.get(route, {})
        is_api = path.startswith(self.api)
        if origin is None and not is_api:
            origin = {"Origin": self.home, "Sec-Fetch-Site": "same-origin"}
        more: dict[str, Any] = {"params" if method in SAFE else "json" if is_api else "data": body}
        if any(isinstance(value, tuple) for value in body.values()):
            more = {"files": body}
        return client.request(
            method,
            re.sub(r"\{(\w+)(:\w+)?\}", lambda part: self.values[part[1]], path),
            headers={
                "Accept": "application/json" if is_api else "text/html",
                "If-Match": "*",
                "Idempotency-Key": "one-key-for-all-requests",
                **(origin or {}),
            },
            **more,
        )

    def _refusal(self, name: str, route: str) -> int:
        """Return the status with which a caller without permission is refused."""
        is_api = route.partition(" ")[2].startswith(self.api)
        default = 401 if is_api else 303 if self.sign_in else 403
        by_caller = self.refusals.get(route, {})
        others = by_caller.get("everyone", 403 if name in self.callers else default)
        return by_caller.get(name, others)

    def _asks_to_sign_in(self, answer: httpx2.Response) -> bool:
        location = answer.headers.get("location", "")
        return bool(self.sign_in) and location.startswith(self.sign_in)

    def _written(self) -> list[str]:
        """Return the writes of rejected requests."""
        return [
            f"written: {str(request)[:200]}"
            for call in self.calls
            for request in call.requests
            if not request.is_read and not isinstance(call.error, ConditionFailed)
        ]


class AccessTests:
    """The tests of a table of all routes, for the fixture `access` of an app."""

    def test_every_route_has_an_entry(self, access: AccessCheck) -> None:
        assert routes_of(access.app) == access.table.keys()
        assert access.refusals.keys() <= access.table.keys()

    def test_strongest_others_are_refused(self, access: AccessCheck) -> None:
        _check(access.denied(only_strongest=True))

    @pytest.mark.rest
    def test_others_are_refused(self, access: AccessCheck) -> None:
        _check(access.denied(only_strongest=False))

    def test_callers_are_served(self, access: AccessCheck) -> None:
        _check(access.allowed())

    @pytest.mark.rest
    def test_downloads_of_odd_text_are_valid_files(self, access: AccessCheck) -> None:
        store_odd_text(access.driver)
        assert access.downloads()

    def test_noncharacters_are_not_stored(self, access: AccessCheck) -> None:
        assert access.odd_requests()
        assert noncharacters_in(access.driver) == []

    def test_pages_of_other_sites_change_nothing(self, access: AccessCheck) -> None:
        _check(access.forged([*access.callers][-1]))


def _position(route: str) -> int:
    """Return a sort key for routes: reads first, and routes that end sessions last."""
    return 0 if route.startswith(SAFE) else 1 + route.endswith("/sessions/others/end")


def _check(faults: list[str]) -> None:
    assert not faults, "\n".join(faults)


def altered(token: str) -> str:
    """Return a token with another signature."""
    return f"{token.rpartition('.')[0]}.{'A' * 43}"


def _describe(route: str, name: str, answer: httpx2.Response) -> str:
    return f"{route} as {name}: {answer.status_code} {answer.text[:200]}"
