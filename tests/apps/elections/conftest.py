"""The service in memory, and on every driver. Every store call must be a declared pattern."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from singletable import Driver, Engine
from tests.apps.support.elections.world import World


@pytest.fixture
def memory() -> Iterator[World]:
    """Return an empty world in memory."""
    with Engine.in_memory() as engine:
        world = World(engine)
        yield world
        world.check_calls()


@pytest.fixture
def world(drivers: tuple[Driver, Driver]) -> Iterator[World]:
    """Return an empty world, once per driver."""
    world = World(drivers[0])
    yield world
    world.check_calls()
