"""Games on every driver, their API, pages and live rooms."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress

import pytest

from singletable_apps.games.live import LiveGames
from singletable_apps.games.live.watcher import Watcher
from tests.apps.games.api.client import Server
from tests.apps.games.live.clients import open_live
from tests.apps.games.pages.client import PagesApp
from tests.apps.games.support.world import World
from tests.apps.shared.rooms.clients import until
from tests.apps.support.worlds import world_fixtures

tables, memory, worlds, world = world_fixtures(World)


@pytest.fixture(scope="module", autouse=True)
def no_room_stays_open() -> Iterator[None]:
    """Fail if a room is still open: it would read from an engine that is closed."""
    running: set[Watcher] = set()
    run = Watcher.run

    async def run_and_note(watcher: Watcher) -> None:
        running.add(watcher)
        try:
            await run(watcher)
        finally:
            running.discard(watcher)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Watcher, "run", run_and_note)
        yield
    with suppress(TimeoutError):
        asyncio.run(asyncio.wait_for(until(lambda: not running), 2))
    assert not running


@pytest.fixture
def server(memory: World) -> Server:
    return Server(memory)


@pytest.fixture
def app(memory: World) -> PagesApp:
    return PagesApp(memory)


@pytest.fixture
def live(memory: World) -> LiveGames:
    return open_live(memory.service)
