"""Fresh stores for each test: tables are created once and copied, the clock is fixed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Protocol, TypedDict, Unpack

from dynamodb_engine.engine import AsyncEngine, Engine, Settings
from dynamodb_engine.faults import AsyncFaultyDriver, Faults, FaultyDriver
from singletable.schema import Table
from singletable.store import AsyncStore, Observer, Store

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)

# An engine with the empty tables of a design, created once per process.
_TEMPLATES: dict[tuple[Table, ...], Engine] = {}


class StoreClock:
    """The clock of stores and engines: noon on 1 January 2026 until a test advances it.

    With a `tick`, each reading is later than the one before by this much.
    """

    def __init__(self, now: datetime = NOON, tick: timedelta = timedelta()) -> None:
        self.now = now
        self.tick = tick
        self._lock = Lock()

    def __call__(self) -> datetime:
        """Return the time as stores expect it."""
        with self._lock:
            self.now += self.tick
            return self.now

    def seconds(self) -> float:
        """Return the time as engines and migrations expect it."""
        return self().timestamp()

    def advance(self, **by: float) -> datetime:
        """Advance the clock, as in `clock.advance(hours=2)`, and return the new time."""
        with self._lock:
            self.now += timedelta(**by)
            return self.now


class StoreOptions(TypedDict, total=False):
    """The faults and the observers of a store."""

    faults: Faults | None
    observers: Iterable[Observer]


class StoreFactory(Protocol):
    """Creates a store in memory with empty tables; without tables, those of the catalogs."""

    def __call__(self, *tables: Table, **options: Unpack[StoreOptions]) -> Store:
        """Return a fresh store."""
        ...


class AsyncStoreFactory(Protocol):
    """Creates an async store in memory with empty tables; without tables, those of the catalogs."""

    def __call__(self, *tables: Table, **options: Unpack[StoreOptions]) -> AsyncStore:
        """Return a fresh store."""
        ...


class StoreFactories:
    """Creates the stores of one test and closes their engines after it."""

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
        """Return a store in memory with empty tables."""
        engine = self._engine(tables)
        faults = faults or self._faults
        driver = engine if faults is None else FaultyDriver(engine, faults)
        return Store(driver, clock=self._clock, observers=observers)

    def async_store(
        self,
        *tables: Table,
        faults: Faults | None = None,
        observers: Iterable[Observer] = (),
    ) -> AsyncStore:
        """Return an async store in memory with empty tables."""
        engine = AsyncEngine(self._engine(tables))
        faults = faults or self._faults
        driver = engine if faults is None else AsyncFaultyDriver(engine, faults)
        return AsyncStore(driver, clock=self._clock, observers=observers)

    def close(self) -> None:
        """Close all engines."""
        for engine in self._engines:
            engine.close()

    def _engine(self, tables: tuple[Table, ...]) -> Engine:
        engine = _template(tables or self._tables).copy(Settings(clock=self._clock.seconds))
        self._engines.append(engine)
        return engine


def _template(tables: tuple[Table, ...]) -> Engine:
    engine = _TEMPLATES.get(tables)
    if engine is None:
        engine = Engine.in_memory(Settings(clock=StoreClock().seconds))
        store = Store(engine)
        for table in tables:
            store.admin.create_table(table)
        _TEMPLATES[tables] = engine
    return engine
