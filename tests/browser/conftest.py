"""A browser, and the page of parts served for it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from singletable_apps.shared.pages import Pages, Product
from singletable_apps.shared.pages.gallery import MADE, around, parts_router
from singletable_apps.shared.web import Settings, make_app
from tests.browser.live import live
from tests.browser.whole_site import Site, whole_site

WIDE = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}

# What takes longer does not come: a busy machine is given its time, and nobody waits for it else.
PATIENCE = 60_000

OpenPage = Callable[..., Page]
expect.set_options(timeout=PATIENCE)


class BrowserMissing(Exception):
    """There is no browser; the message says what installs it."""


# For one file of tests: while Playwright is on, its thread has a running event loop, and tests of
# other files that a worker runs next begin one of their own.
@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Chromium without windows, which does half of what the one with windows does for a page."""
    found = shutil.which("chromium-headless-shell")
    if found is None:
        raise BrowserMissing(
            "There is no chromium-headless-shell, and pages are looked at with it. `make test` "
            "installs it (Debian's package of that name); run it once."
        )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium: Browser) -> Iterator[OpenPage]:
    """Opens a page as somebody has it: with a width, a theme, a zone, with scripts or without."""
    opened: list[BrowserContext] = []

    def open_one(**somebody: Any) -> Page:
        somebody = {"viewport": WIDE, "reduced_motion": "reduce"} | somebody
        context = chromium.new_context(**somebody)
        opened.append(context)
        context.set_default_timeout(PATIENCE)
        return context.new_page()

    yield open_one
    for context in opened:
        context.close()


@pytest.fixture(scope="session")
def parts() -> Iterator[str]:
    """The address of an app that has the page of parts."""
    pages = Pages(
        "parts",
        secret=b"a secret of thirty-two bytes or more",
        product=Product("Elections", "/parts", "Elections by ranking that everybody can check."),
        context=around,
        generated_files=MADE,
    )
    app = make_app(
        "Parts",
        "1",
        routers=[],
        pages=[parts_router(pages)],
        prefix="/api",
        settings=Settings(uploads={"/parts": 1 << 16}),
    )
    pages.mount(app)
    with live(app) as address:
        yield address


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    """Everything there is, with the sample in it; who changes it takes one of their own."""
    with whole_site() as served:
        yield served
