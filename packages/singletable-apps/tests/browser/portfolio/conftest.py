"""Fixtures for browser tests of the portfolio."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import OpenPage
from tests.browser.portfolio.public_server import PublicSite, serve_public_site
from tests.browser.portfolio.server import Served, serve


@pytest.fixture(scope="session")
def served() -> Iterator[Served]:
    """Serve a site; each test writes its own posts."""
    with serve() as served:
        yield served


@pytest.fixture
def open_admin(open_page: OpenPage, served: Served) -> Callable[..., Page]:
    """Return a function that opens a page for authors, signed in."""

    def open_signed_in(*parts: str, **options: Any) -> Page:
        page = open_page(**options)
        served.sign_in(page.context)
        page.goto(served.admin(*parts))
        return page

    return open_signed_in


@pytest.fixture(scope="session")
def public_site() -> Iterator[PublicSite]:
    """Serve a site with pictures, projects, posts and a comment for readers."""
    with serve_public_site() as site:
        yield site
