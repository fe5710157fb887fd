"""Fresh stores: the tables are made once, and each test begins with a copy of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from singletable.engine import AsyncEngine, Engine, Settings
from singletable.faults import AsyncFaultyDriver, Faults, FaultyDriver
from singletable.schema import Table
from singletable.store import AsyncStore, Observer, Store
from singletable.testing.clock import StoreClock

# The empty tables of a design, made once in a process.
_TEMPLATES: dict[tuple[Table, ...], Engine] = {}


class Stores:
    """Makes stores for one test, and closes their engines after it."""

    def __init__(self, tables: Sequence[Table], clock: StoreClock, faults: Faults | None) -> None:
        self._tables = tuple(tables)
        self._clock = clock
        self._faults = faults
        self._engines: list[Engine] = []

    def store(
        self,
        *tables: Table,
        faults: Faults | None = None,
        observers: Iterable[Observer] = (),
    ) -> Store:
        """A store in memory with empty tables."""
        engine = self._engine(tables)
        chosen = faults or self._faults
        driver = engine if chosen is None else FaultyDriver(engine, chosen)
        return Store(driver, clock=self._clock, observers=observers)

    def async_store(
        self,
        *tables: Table,
        faults: Faults | None = None,
        observers: Iterable[Observer] = (),
    ) -> AsyncStore:
        """The same for an event loop."""
        engine = AsyncEngine(self._engine(tables))
        chosen = faults or self._faults
        driver = engine if chosen is None else AsyncFaultyDriver(engine, chosen)
        return AsyncStore(driver, clock=self._clock, observers=observers)

    def close(self) -> None:
        """Let go of all engines."""
        for engine in self._engines:
            engine.close()

    def _engine(self, tables: tuple[Table, ...]) -> Engine:
        wanted = tables or self._tables
        engine = _template(wanted).copy(Settings(clock=self._clock.seconds))
        self._engines.append(engine)
        return engine


def _template(tables: tuple[Table, ...]) -> Engine:
    found = _TEMPLATES.get(tables)
    if found is None:
        found = Engine.in_memory(Settings(clock=StoreClock().seconds))
        store = Store(found)
        for table in tables:
            store.admin.create_table(table)
        _TEMPLATES[tables] = found
    return found
