"""Fixtures with the world of an app: in memory, and on every driver."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol, TypeVar

import pytest

from singletable import Driver, Engine


class AppWorld(Protocol):
    """A driver with the service of an app."""

    def __init__(self, driver: Driver, *, like: Any = None) -> None: ...

    def check_calls(self) -> None: ...


W = TypeVar("W", bound=AppWorld)


def world_fixtures(world_type: type[W]) -> tuple[Callable[..., Any], ...]:
    """Return the fixtures `tables`, `memory`, `worlds` and `world` of an app."""

    @pytest.fixture(scope="session")
    def tables() -> Engine:
        """Return an engine with empty tables. Copying it is faster than creating them."""
        engine = Engine.in_memory()
        world_type(engine)
        return engine

    @pytest.fixture
    def memory(tables: Engine) -> Iterator[W]:
        """Return an empty world in memory."""
        with tables.copy() as engine:
            world = world_type(engine)
            yield world
            world.check_calls()

    @pytest.fixture
    def worlds(drivers: tuple[Driver, Driver]) -> Iterator[tuple[W, W]]:
        """Yield two worlds with the same tables and clock, as two processes have them."""
        one = world_type(drivers[0])
        other = world_type(drivers[1], like=one)
        yield one, other
        one.check_calls()
        other.check_calls()

    @pytest.fixture
    def world(worlds: tuple[W, W]) -> W:
        """Return an empty world on each driver."""
        return worlds[0]

    return tables, memory, worlds, world
