"""The world of an app's tests: a driver, a clock, a service; and fixtures on every driver."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any, ClassVar, Generic, TypeVar

import pytest

from singletable import Call, Driver, Engine, PatternCatalog, Table
from singletable.testing import StoreClock
from tests.apps.support.mailbox import Mailbox, deliver
from tests.apps.support.patterns import check_declared

S = TypeVar("S")


class AppWorld(ABC, Generic[S]):
    """A driver and a clock that tests move; `service` is open on them, and others can be."""

    patterns: ClassVar[PatternCatalog]
    tables: ClassVar[tuple[Table, ...]]

    def __init__(
        self, driver: Driver, clock: StoreClock | None = None, *, like: AppWorld[Any] | None = None
    ) -> None:
        self.driver = driver
        self.clock: StoreClock = (
            like.clock if like else clock or StoreClock(tick=timedelta.resolution)
        )
        self.server: Mailbox = like.server if like else Mailbox()
        self.calls: list[Call] = []
        self.service = self.open()

    @abstractmethod
    def open(self, driver: Driver | None = None) -> S:
        """Open another service on the same tables, as another process would have it."""

    @property
    def mailbox(self) -> Mailbox:
        """Send what is in the queue, and return what was sent."""
        deliver(self.service)
        return self.server

    def check_calls(self) -> None:
        """Fail if a service has called its store in a way that no pattern declares."""
        check_declared(self.calls, self.patterns, self.tables)


W = TypeVar("W", bound=AppWorld[Any])


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
