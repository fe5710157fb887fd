"""A server with API clients, each with its own cookies, and a clock."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import httpx2
from fastapi import FastAPI
from fastapi.testclient import TestClient

from singletable import Driver, Engine
from singletable.testing import StoreClock
from singletable_apps.polls.app import APP
from singletable_apps.polls.pages.dependencies import PollsState
from singletable_apps.polls.service import Polls, open_polls
from singletable_apps.polls.urls import API, Urls
from singletable_apps.shared.frame import Limits
from singletable_apps.shared.web import RateLimit, Settings
from tests.apps.polls.support.harness import SECRET

ADDRESS = "https://polls.example"
OPTIONS = ["Go", "Rust", "Python"]
COOKIE = "__Host-polls_browser"
_APPS: dict[bool, FastAPI] = {}


@dataclass
class Server:
    """The app, the service behind it, and the clock.

    Making an app takes a tenth of a second, so all servers share one.
    """

    driver: Driver
    limits: Limits = field(default_factory=dict[str, RateLimit | None])
    secure: bool = True
    clock: StoreClock = field(init=False)
    polls: Polls = field(init=False)
    app: FastAPI = field(init=False)

    def __post_init__(self) -> None:
        self.clock = StoreClock(tick=timedelta.resolution)
        urls = Urls(public="https://polls.example")
        self.polls = open_polls(self.driver, SECRET, clock=self.clock, urls=urls)
        if self.secure not in _APPS:
            _APPS[self.secure] = APP.make_app(self.polls, Settings(secure_cookies=self.secure))
        self.app = _APPS[self.secure]
        shared: PollsState = self.app.state.frame
        limits = {**dict.fromkeys(APP.limits), **self.limits}
        self.state = PollsState(self.polls, shared.pages, limits, shared.cookies)

    def opens(self) -> None:
        self.state.attach(self.app)

    def new_visitor(self) -> Person:
        """Return a visitor with a new browser."""
        return Person(self, TestClient(self.app, base_url=ADDRESS, raise_server_exceptions=False))


@dataclass
class Person:
    """A visitor whose browser keeps its cookies."""

    server: Server
    browser: TestClient

    def ask(
        self, method: str, path: str, *, key: str = "", tag: str = "", **more: Any
    ) -> httpx2.Response:
        self.server.opens()
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        if tag:
            headers["If-Match"] = tag
        headers |= more.pop("headers", {})
        return self.browser.request(method, f"{API}{path}", headers=headers, **more)

    def get(self, path: str, **more: Any) -> httpx2.Response:
        return self.ask("GET", path, **more)

    def post(self, path: str, body: object = None, **more: Any) -> httpx2.Response:
        return self.ask("POST", path, json=body, **more)

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
    return Server(driver or Engine.in_memory(), limits or {}, secure)


def type_of(answer: httpx2.Response) -> str:
    """Return the status and the problem type of a response."""
    return f"{answer.status_code} {answer.json()['type'].rpartition('/')[2]}"


def places(answer: httpx2.Response) -> list[str]:
    """Where the faults are."""
    return [
        fault.get("pointer", fault.get("parameter", fault.get("header")))
        for fault in answer.json()["errors"]
    ]
