"""The whole site with sample data, served on a port."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import quote

from fastapi.testclient import TestClient
from playwright.sync_api import Page
from starlette.types import ASGIApp

from singletable_apps.elections.projection import get_last_event
from tests.apps.support.elections.sample import SampleCopy, copy_sample
from tests.apps.support.site import make_elections_site
from tests.browser.crawler import CrawledPage, crawl
from tests.browser.live_server import serve_app

CRAWLED_PREFIXES = ("/elections",)


@dataclass(frozen=True)
class Site:
    """A served site with sample data."""

    sample: SampleCopy
    app: ASGIApp
    address: str
    crawled: dict[str | None, list[CrawledPage]] = field(
        default_factory=dict[str | None, list[CrawledPage]]
    )

    def token(self, name: str) -> str:
        return self.sample.elections.auth.start_session(self.sample.user(name), "tests").access

    def sign_in(self, page: Page, name: str | None) -> None:
        """Sign in as a sample user, or sign out."""
        page.context.clear_cookies()
        if name is not None:
            page.context.add_cookies(
                [{"name": "elections_access", "value": self.token(name), "url": self.address}]
            )

    def open_as(self, page: Page, name: str, path: str) -> None:
        """Open a page of elections as a sample user."""
        self.sign_in(page, name)
        page.goto(f"{self.address}/elections/{path}")

    def at(self, election: str, *parts: str) -> str:
        """Return the URL of a page about an election."""
        return "/".join([f"{self.address}/elections/e", quote(election), *parts])

    def crawl_as(self, name: str | None) -> list[CrawledPage]:
        """Return every page that links lead this user to, crawled once."""
        if name in self.crawled:
            return self.crawled[name]
        browser = TestClient(self.app, base_url=self.address)
        if name is not None:
            browser.cookies.set("elections_access", self.token(name))
        self.crawled[name] = crawl(browser, name, ["/", "/elections"], CRAWLED_PREFIXES)
        return self.crawled[name]

    @property
    def events(self) -> int:
        """Return the number of events in the log."""
        newest = get_last_event(self.sample.store)
        return newest.event_id if newest else 0


@contextmanager
def serve_site() -> Generator[Site]:
    """Serve the site."""
    sample = copy_sample()
    app = make_elections_site(sample.elections)
    with serve_app(app) as address:
        yield Site(sample, app, address)
