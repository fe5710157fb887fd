"""Browsers without scripts for the pages of the portfolio: they open pages and submit forms."""

from __future__ import annotations

from dataclasses import dataclass, replace

import httpx2
from fastapi import FastAPI
from fastapi.testclient import TestClient

from singletable import connect
from singletable_apps.portfolio.app import make_web_app
from singletable_apps.portfolio.entities import Role, User
from singletable_apps.portfolio.limits import Limits
from singletable_apps.portfolio.pages import PortfolioSite
from singletable_apps.shared.serve import PublicUrl
from singletable_apps.shared.web import ResponseCache
from tests.apps.portfolio.support.harness import PASSWORD, World
from tests.apps.support import browser as support

HOME = "http://ada.example"
_SHARED: list[FastAPI] = []


def shared_app(world: World) -> FastAPI:
    """Return the web app. Creating one is slow, so all tests share one."""
    if not _SHARED:
        _SHARED.append(make_web_app(world.service, PublicUrl(HOME)))
    return _SHARED[0]


class PagesApp:
    """The pages on a new in-memory database. The site is not set up."""

    def __init__(self) -> None:
        self.world = World(connect("memory:"))
        self.fastapi = shared_app(self.world)
        site: PortfolioSite = self.fastapi.state.portfolio_pages
        self.site = replace(site, service=self.world.service, limits=Limits())

    def activate(self) -> None:
        """Let the shared app serve this database."""
        context = self.world.service.context
        self.fastapi.state.portfolio_pages = self.site
        self.fastapi.state.response_cache = ResponseCache(context.writes, context.clock)

    def browser(self, user: User | None = None) -> Browser:
        """Return a new browser, signed in as `user` if there is one."""
        client = TestClient(self.fastapi, base_url=HOME, raise_server_exceptions=False)
        if user is not None:
            signed_in = self.world.service.accounts.start_session(user, "tests")
            client.cookies.set("portfolio_access", signed_in.access)
            client.cookies.set("portfolio_session", signed_in.refresh)
        return Browser(client, self.activate, self.site.urls.admin, self)

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
        return self.open(self.app.site.urls.page(*parts, **query))
