"""Games on every driver, their API, pages and live rooms."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from typing import Any

import pytest

from singletable_apps.games.live import LiveGames
from singletable_apps.games.live.watcher import Watcher
from tests.apps.games.api.client import Server
from tests.apps.games.live.clients import open_live
from tests.apps.games.pages.client import PagesApp
from tests.apps.games.support.world import World
from tests.apps.support.worlds import world_fixtures

tables, memory, worlds, world = world_fixtures(World)


@pytest.fixture(autouse=True)
def no_room_stays_open() -> Iterator[None]:
    """Close the rooms that are still open: they would read from an engine that is closed.

    All requests of test clients share an event loop, so rooms do not end with a test.
    """
    running: dict[asyncio.Task[Any], asyncio.AbstractEventLoop] = {}
    run = Watcher.run

    async def run_and_note(watcher: Watcher) -> None:
        task = asyncio.current_task()
        assert task is not None
        running[task] = asyncio.get_running_loop()
        try:
            await run(watcher)
        finally:
            del running[task]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Watcher, "run", run_and_note)
        yield
    for task, loop in list(running.items()):
        loop.call_soon_threadsafe(task.cancel)
    end = time.monotonic() + 10
    while running and time.monotonic() < end:
        time.sleep(0.001)
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
