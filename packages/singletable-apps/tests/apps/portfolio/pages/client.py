"""Browsers without scripts for the pages of the portfolio: they open pages and submit forms."""

from __future__ import annotations

from dataclasses import dataclass

import httpx2

from singletable import connect
from singletable_apps.portfolio.app import APP
from singletable_apps.portfolio.entities import Role, User
from tests.apps.portfolio.support.harness import PASSWORD, World
from tests.apps.support import browser as support
from tests.apps.support.server import AppServer

HOME = "http://ada.example"


class PagesApp(AppServer[World]):
    """The pages on a new in-memory database, with rate limits. The site is not set up."""

    spec = APP
    home = HOME

    def __init__(self) -> None:
        super().__init__(World(connect("memory:")), APP.make_limits())
        self.urls = self.world.service.context.urls

    def browser(self, user: User | None = None) -> Browser:
        """Return a new browser, signed in as `user` if there is one."""
        cookies = {}
        if user is not None:
            session = self.world.service.accounts.start_session(user, "tests")
            cookies = {"access": session.access, "session": session.refresh}
        return Browser(self.browser_client(**cookies), self.activate, self.urls.admin, self)

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
