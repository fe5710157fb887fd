"""The pages of a directory with people. Every store call of a test must be a declared pattern."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.apps.skills.pages.client import Browser, PagesApp


@pytest.fixture
def app() -> Iterator[PagesApp]:
    """Return the pages with people."""
    app = PagesApp()
    yield app
    app.world.check_calls()


@pytest.fixture
def ada(app: PagesApp) -> Browser:
    """Return the browser of the administrator."""
    return app.browser("ada")


@pytest.fixture
def mia(app: PagesApp) -> Browser:
    """Return the browser of a manager."""
    return app.browser("mia")


@pytest.fixture
def bob(app: PagesApp) -> Browser:
    """Return the browser of a user."""
    return app.browser("bob")
