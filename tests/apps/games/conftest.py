"""Games on every driver, their API, pages and live rooms."""

from __future__ import annotations

import pytest

from singletable_apps.games.live import LiveGames
from tests.apps.games.api.client import Server
from tests.apps.games.live.clients import open_live
from tests.apps.games.pages.client import PagesApp
from tests.apps.games.support.world import World
from tests.apps.support.worlds import world_fixtures

tables, memory, worlds, world = world_fixtures(World)


@pytest.fixture
def server(memory: World) -> Server:
    return Server(memory)


@pytest.fixture
def app(memory: World) -> PagesApp:
    return PagesApp(memory)


@pytest.fixture
def live(memory: World) -> LiveGames:
    return open_live(memory.service)
