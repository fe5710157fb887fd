"""Fixtures of browser tests: Chromium, the component gallery and the whole site."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.apps.support.gallery import make_gallery
from tests.browser.live_server import serve_app
from tests.browser.site import Site, serve_site

WIDE = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}

# Milliseconds. Long enough for a busy machine; tests that pass never wait for it.
TIMEOUT = 60_000

OpenPage = Callable[..., Page]
expect.set_options(timeout=TIMEOUT)


class BrowserMissing(Exception):
    """Chromium is not installed; the message says how to install it."""


# One for this folder, since a start takes a second. It ends with the folder: Playwright keeps an
# event loop running in its thread, and tests in other folders start their own.
@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """Start headless Chromium, which needs half the time per page."""
    found = shutil.which("chromium-headless-shell")
    if found is None:
        raise BrowserMissing(
            "chromium-headless-shell is not installed. Run `make test` once, or install the "
            "Debian package of that name."
        )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def open_pages(chromium: Browser) -> Generator[OpenPage]:
    """Yield a function that opens a page in its own browser context, and close all at the end."""
    opened: list[BrowserContext] = []

    def open_context(**options: Any) -> Page:
        options = {"viewport": WIDE, "reduced_motion": "reduce"} | options
        context = chromium.new_context(**options)
        opened.append(context)
        context.set_default_timeout(TIMEOUT)
        return context.new_page()

    yield open_context
    for context in opened:
        context.close()


@pytest.fixture
def open_page(chromium: Browser) -> Iterator[OpenPage]:
    """Return a function that opens a page with options of a browser context."""
    with open_pages(chromium) as open_page:
        yield open_page


@pytest.fixture(scope="session")
def parts() -> Iterator[str]:
    """Serve the component gallery and yield its URL."""
    with serve_app(make_gallery()) as address:
        yield address


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    """Serve the whole site with sample data."""
    with serve_site() as served:
        yield served


@pytest.fixture
def served() -> Iterator[Site]:
    """Serve another site, for a test that changes data."""
    with serve_site() as served:
        yield served
