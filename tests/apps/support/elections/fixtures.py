"""Fixtures: the service in memory, on a file, and over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from singletable import AsyncEngine, Engine, Settings
from tests.apps.support.elections.world import World
from tests.apps.support.remote import remote_driver
from tests.conformance.endpoint import Exchangeable, endpoint


@pytest.fixture(scope="session")
def far_end() -> Iterator[tuple[Exchangeable, str]]:
    """Run an endpoint whose engine is replaced per test, and return its address."""
    with endpoint() as (behind, host, port):
        yield behind, f"dynamodb+http://{host}:{port}"


@pytest.fixture
def memory() -> Iterator[World]:
    """Return an empty world in memory."""
    with Engine.in_memory() as engine:
        world = World(engine)
        yield world
        world.check_calls()


@pytest.fixture(params=("memory", "file", "http"))
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    """Return an empty world, once per driver."""
    with _engine(request.param, tmp_path) as engine:
        if request.param == "http":
            behind, address = request.getfixturevalue("far_end")
            behind.engine = AsyncEngine(engine)
            with remote_driver(address) as driver:
                yield (there := World(driver))
                there.check_calls()
        else:
            yield (there := World(engine))
            there.check_calls()


def _engine(where: str, folder: Path) -> Engine:
    if where != "file":
        return Engine.in_memory()
    return Engine.on_file(folder / "elections.db", Settings(durable=False))
