"""The service on every driver: in memory, in a file, and behind an endpoint over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from singletable import AsyncEngine, Engine, Remote, Settings
from tests.apps.support.elections.world import World
from tests.conformance.endpoint import Exchangeable, endpoint


@pytest.fixture(scope="session")
def far_end() -> Iterator[tuple[Exchangeable, str]]:
    """An endpoint, whose engine is given to it test by test, and its address."""
    with endpoint() as (behind, host, port):
        yield behind, f"dynamodb+http://{host}:{port}"


@pytest.fixture
def memory() -> Iterator[World]:
    """An empty world in memory, where what is exhaustive is tried."""
    with Engine.in_memory() as engine:
        world = World(engine)
        yield world
        world.check_calls()


@pytest.fixture(params=("memory", "file", "http"))
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    """An empty world on each driver."""
    with _engine(request.param, tmp_path) as engine:
        if request.param == "http":
            behind, address = request.getfixturevalue("far_end")
            behind.engine = AsyncEngine(engine)
            with Remote.at(address) as driver:
                yield (there := World(driver))
                there.check_calls()
        else:
            yield (there := World(engine))
            there.check_calls()


def _engine(where: str, folder: Path) -> Engine:
    if where != "file":
        return Engine.in_memory()
    return Engine.on_file(folder / "elections.db", Settings(durable=False))
