"""The skills directory on every driver, and its API and pages with people."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.apps.skills.api.client import Server, filled_world
from tests.apps.skills.pages.client import PagesApp
from tests.apps.skills.support.world import World
from tests.apps.support.browser import Browser
from tests.apps.support.worlds import world_fixtures

tables, memory, worlds, world = world_fixtures(World)


@pytest.fixture
def server() -> Iterator[Server]:
    """Return a server with people, in memory."""
    made = Server(filled_world())
    yield made
    made.world.check_calls()


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
