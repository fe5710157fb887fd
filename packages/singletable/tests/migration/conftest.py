"""The drivers that migrations run on are those of the apps: in memory, on a file, over HTTP."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from singletable import Driver, Engine
from tests.migration.doubles import Clock
from tools.testing.drivers import drivers, far_end

__all__ = ["drivers", "far_end"]


@pytest.fixture
def driver(drivers: tuple[Driver, Driver]) -> Driver:
    """Return an empty driver of each kind."""
    return drivers[0]


@pytest.fixture
def engine() -> Iterator[Engine]:
    """Return an empty engine in memory."""
    with Engine.in_memory() as engine:
        yield engine


@pytest.fixture
def clock() -> Clock:
    return Clock()
