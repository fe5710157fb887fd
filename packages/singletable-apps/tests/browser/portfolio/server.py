"""Serve the portfolio on a port, with a site that is set up."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from playwright.sync_api import BrowserContext

from singletable import connect
from singletable_apps.portfolio.app import APP
from singletable_apps.portfolio.entities import User
from singletable_apps.portfolio.service import PortfolioService, open_portfolio
from singletable_apps.shared.accounts import Passwords
from singletable_apps.shared.objects import MemoryBucket
from singletable_apps.shared.web import Settings
from tests.browser.live_server import serve_app


@dataclass(frozen=True)
class Served:
    """A service with its owner, and the address of its pages."""

    service: PortfolioService
    owner: User
    address: str

    def admin(self, *parts: str) -> str:
        """Return the URL of a page for authors."""
        return f"{self.address}{self.service.context.urls.admin(*parts)}"

    def sign_in(self, context: BrowserContext) -> None:
        """Sign the owner in, without the form."""
        session = self.service.accounts.start_session(self.owner, "tests")
        tokens = {"portfolio_access": session.access, "portfolio_session": session.refresh}
        context.add_cookies(
            [{"name": name, "value": text, "url": self.address} for name, text in tokens.items()]
        )


@contextmanager
def serve() -> Generator[Served]:
    """Serve the pages on a port."""
    service = open_portfolio(
        connect("memory:"),
        b"of tests" * 4,
        bucket=MemoryBucket(),
        passwords=Passwords(memory_kib=64, passes=1),
    )
    owner = service.accounts.set_up("Ada", "ada@example.org", "nine blue horses", "Ada’s notes")
    app = APP.make_app(service, Settings(secure_cookies=False), limited=False)
    with serve_app(app) as address:
        yield Served(service, owner, address)
