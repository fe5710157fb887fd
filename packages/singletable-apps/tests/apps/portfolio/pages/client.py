"""Browsers without scripts for the pages of the portfolio: they open pages and submit forms."""

from __future__ import annotations

from dataclasses import dataclass, replace

import httpx2
from fastapi import FastAPI
from fastapi.testclient import TestClient

from singletable import connect
from singletable_apps.portfolio.app import APP
from singletable_apps.portfolio.entities import Role, User
from singletable_apps.portfolio.service import PortfolioService
from singletable_apps.shared.frame import AppState
from singletable_apps.shared.serve import PublicUrl
from tests.apps.portfolio.support.harness import PASSWORD, World
from tests.apps.support import browser as support

HOME = "http://ada.example"
_SHARED: list[FastAPI] = []


def shared_app(world: World) -> FastAPI:
    """Return the web app. Creating one is slow, so all tests share one."""
    if not _SHARED:
        _SHARED.append(APP.make_app(world.service, PublicUrl(HOME).settings()))
    return _SHARED[0]


class PagesApp:
    """The pages on a new in-memory database. The site is not set up."""

    def __init__(self) -> None:
        self.world = World(connect("memory:"))
        self.fastapi = shared_app(self.world)
        self.urls = self.world.service.context.urls
        state: AppState[PortfolioService] = self.fastapi.state.frame
        self.state = replace(state, service=self.world.service, limits=APP.make_limits())

    def activate(self) -> None:
        """Let the shared app serve this database."""
        self.state.attach(self.fastapi)

    def browser(self, user: User | None = None) -> Browser:
        """Return a new browser, signed in as `user` if there is one."""
        client = TestClient(self.fastapi, base_url=HOME, raise_server_exceptions=False)
        if user is not None:
            signed_in = self.world.service.accounts.start_session(user, "tests")
            client.cookies.set("portfolio_access", signed_in.access)
            client.cookies.set("portfolio_session", signed_in.refresh)
        return Browser(client, self.activate, self.urls.admin, self)

    def join(self, name: str, role: Role = Role.AUTHOR) -> Browser:
        """Invite someone, who chooses a password; return their browser."""
        accounts = self.world.service.accounts
        email = f"{name.lower()}@example.org"
        accounts.invite(self.world.owner(), name, email, role)
        token = self.world.mailbox.emails[-1].text.partition("token=")[2].split()[0]
        return self.browser(accounts.reset(token, PASSWORD).user)


@dataclass(frozen=True)
class Browser(support.Browser):
    """A browser for the pages of authors and of the public site."""

    app: PagesApp

    def public(self, *parts: str, **query: str) -> httpx2.Response:
        """Open a page of the public site by the parts of its URL."""
        return self.open(self.app.urls.page(*parts, **query))
