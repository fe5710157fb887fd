"""An app with an owner and a second user. Every store call of a test must be a declared pattern."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.apps.elections.pages.client import Browser, PagesApp


@pytest.fixture
def app() -> Iterator[PagesApp]:
    app = PagesApp.create()
    yield app
    app.world.check_calls()


@pytest.fixture
def ada(app: PagesApp) -> Browser:
    """Return the first user, who owns the site."""
    return app.register("Ada")


@pytest.fixture
def ben(app: PagesApp, ada: Browser) -> Browser:
    """Return a user who may create elections."""
    return app.register("Ben")
