"""Fixtures for browser tests of the skills directory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import OpenPage
from tests.browser.skills.server import Served, serve


@pytest.fixture(scope="session")
def served() -> Iterator[Served]:
    """Serve the sample company."""
    with serve() as served:
        yield served


@pytest.fixture
def open_as(open_page: OpenPage, served: Served) -> Callable[..., Page]:
    """Return a function that opens a page of the directory for someone who is signed in."""

    def open_signed_in(username: str, *parts: str, **options: Any) -> Page:
        page = open_page(**options)
        served.sign_in(page.context, username)
        page.goto(served.url(*parts))
        return page

    return open_signed_in
