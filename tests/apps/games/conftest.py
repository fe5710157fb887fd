"""Games on every driver."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from singletable import Driver, Engine
from tests.apps.games.support.world import World


@pytest.fixture(scope="session")
def tables() -> Engine:
    """Return an engine with an empty table. Copying it is faster than creating it."""
    engine = Engine.in_memory()
    World(engine)
    return engine


@pytest.fixture
def memory(tables: Engine) -> Iterator[World]:
    """Return an empty world in memory."""
    with tables.copy() as engine:
        world = World(engine)
        yield world
        world.check_calls()


@pytest.fixture
def worlds(drivers: tuple[Driver, Driver]) -> Iterator[tuple[World, World]]:
    """Yield two worlds with the same table and clock, as two processes have them."""
    one = World(drivers[0])
    other = World(drivers[1], like=one)
    yield one, other
    one.check_calls()
    other.check_calls()


@pytest.fixture
def world(worlds: tuple[World, World]) -> World:
    """Return an empty world on each driver."""
    return worlds[0]
