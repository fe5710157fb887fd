"""The web app of an AppSpec on the world of a test, with clients of its API and of its pages."""

from __future__ import annotations

from typing import Any, ClassVar, Generic, TypeVar

from fastapi import FastAPI
from fastapi.testclient import TestClient

from singletable_apps.shared.frame import AppSpec, AppState, Limits
from singletable_apps.shared.web import Settings
from tests.apps.support.api_client import Caller
from tests.apps.support.browser import Browser
from tests.apps.support.worlds import AppWorld

W = TypeVar("W", bound=AppWorld[Any])
_APPS: dict[tuple[str, str], FastAPI] = {}


class AppServer(Generic[W]):
    """The app `spec` at the URL `home`, without rate limits except `limits`.

    Making an app takes a tenth of a second, so all servers of one URL share one.
    """

    spec: ClassVar[AppSpec[Any]]
    home = "https://apps.example"

    def __init__(self, world: W, limits: Limits | None = None, home: str = "") -> None:
        self.world = world
        self.home = home or self.home
        key = (self.spec.name, self.home)
        if key not in _APPS:
            settings = Settings(secure_cookies=self.home.startswith("https:"))
            _APPS[key] = self.spec.make_app(world.service, settings)
        self.app = _APPS[key]
        self.limits = {**dict.fromkeys(self.spec.all_limits), **(limits or {})}
        shared: AppState[Any] = self.app.state.frame
        # A new one has nothing that other tests have cached.
        self.state = type(shared)(
            world.service, shared.pages, self.limits, shared.cookies, shared.people_spec
        )

    def activate(self) -> None:
        """Let the shared app serve this world."""
        self.state.attach(self.app)

    def client(self, address: str = "testclient") -> TestClient:
        """Return a client with its own cookies, for which internal errors are responses."""
        return TestClient(
            self.app,
            base_url=self.home,
            client=(address, 50000),
            raise_server_exceptions=False,
            follow_redirects=False,
        )

    def caller(self, token: str = "", address: str = "testclient") -> Caller:
        """Return a client of the API."""
        return Caller(self.client(address), self.spec.api, self.activate, token)

    def open_browser(self, **cookies: str) -> Browser:
        """Return a new browser with these cookies."""
        return Browser(
            self.browser_client(**cookies), self.activate, self.state.service.context.urls.page
        )

    def browser_client(self, **cookies: str) -> TestClient:
        """Return the client of a new browser with these cookies."""
        client = self.client()
        for name, text in cookies.items():
            client.cookies.set(f"{self.spec.name}_{name}", text)
        return client
