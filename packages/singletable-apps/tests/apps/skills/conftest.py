"""The skills directory on every driver, and its API and pages with people."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dynamodb_engine import Engine, Settings
from tests.apps.skills.api.client import Server, filled_world
from tests.apps.skills.pages.client import PagesApp
from tests.apps.skills.support.world import World
from tests.apps.support.browser import Browser
from tests.apps.support.worlds import world_fixtures

tables, memory, worlds, world = world_fixtures(World)


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server(filled_world())
    yield made
    made.world.check_calls()


@pytest.fixture
def app() -> Iterator[PagesApp]:
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


@pytest.fixture(params=["memory", "file"])
def sides(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Engine, Engine]]:
    """Yield the databases before and after a migration."""
    if request.param == "memory":
        with Engine.in_memory() as old, Engine.in_memory() as new:
            yield old, new
        return
    settings = Settings(durable=False)
    with (
        Engine.on_file(tmp_path / "old.db", settings) as old,
        Engine.on_file(tmp_path / "new.db", settings) as new,
    ):
        yield old, new


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine.in_memory() as engine:
        yield engine
