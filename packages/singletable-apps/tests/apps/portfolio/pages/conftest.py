"""The pages of a site that is set up. Every store call of a test must be a declared pattern."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.apps.portfolio.pages.client import Browser, PagesApp


@pytest.fixture
def new_app() -> Iterator[PagesApp]:
    """Return the pages of a site that is not set up yet."""
    app = PagesApp()
    yield app
    app.world.check_calls()


@pytest.fixture
def app(new_app: PagesApp) -> PagesApp:
    """Return the pages of a site with an owner, Ada."""
    new_app.world.set_up()
    return new_app


@pytest.fixture
def ada(app: PagesApp) -> Browser:
    """Return the browser of the owner."""
    return app.browser(app.world.owner())


@pytest.fixture
def ben(app: PagesApp) -> Browser:
    """Return the browser of an author."""
    return app.join("Ben")
