"""Where a scenario runs: in memory, on a file, or over HTTP; each test gets a copy."""

from __future__ import annotations

import os
import shutil
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import TypeVar

from dynamodb_engine import AsyncEngine, Driver, Engine, Settings
from dynamodb_engine.faults import AsyncFaultyDriver, FaultyDriver
from dynamodb_engine.testing import InterruptedDriver
from singletable import Remote
from tests.apps.support.elections.scenario import Scenario, make_scenario, open_copy
from tools.testing.drivers import remote_driver
from tools.testing.exchangeable import Exchangeable

T = TypeVar("T")

BACKENDS = ("memory", "file", "http")
# Exhaustive tests run in memory, and on a selection elsewhere. `make drill-elections` runs all of
# them everywhere.
ALL_CASES = os.environ.get("PLACES") == "all"
# One event of each kind: a ballot, a close, one with one step, and one with many from an index.
TYPICAL_EVENTS = ("BallotCast", "ElectionFinalized", "ElectionCreated", "UserRemoved")


def backend_cases(all_of: Iterable[T], some: Iterable[T]) -> list[tuple[str, T]]:
    """Return pairs of a backend and a case to test there."""
    everything, few = list(all_of), list(some)
    return [
        (place, case)
        for place in BACKENDS
        for case in (everything if ALL_CASES or place == "memory" else few)
    ]


class Backend:
    """A scenario in memory, and copies of it in which something goes wrong."""

    def __init__(self, base: Scenario) -> None:
        self.base = base

    @contextmanager
    def power_cut_copy(self) -> Generator[tuple[Scenario, InterruptedDriver]]:
        """Return a copy and the driver of its service, which crashes on demand."""
        with self._copy() as engine:
            cut = InterruptedDriver(self._driver_of(engine))
            yield open_copy(self.base, engine, cut), cut

    @contextmanager
    def faulty_copy(self) -> Generator[tuple[Scenario, FaultyDriver | AsyncFaultyDriver]]:
        """Return a copy and the driver of its service, which fails on demand."""
        with self._copy() as engine:
            faulty = FaultyDriver(engine)
            yield open_copy(self.base, engine, faulty), faulty

    @contextmanager
    def reopen(self, there: Scenario) -> Generator[Driver]:
        """Return the tables of a process that has crashed, as the next process finds them."""
        yield self._driver_of(there.engine)

    def _copy(self) -> Engine:
        return self.base.engine.copy()

    def _driver_of(self, engine: Engine) -> Driver:
        return engine


class FileBackend(Backend):
    """A scenario on a file, which stays as it is when its process dies."""

    def __init__(self, base: Scenario, path: Path) -> None:
        super().__init__(base)
        self._base = path
        self._last = path
        self._numbers = count()

    @contextmanager
    def reopen(self, there: Scenario) -> Generator[Driver]:
        """Copy the file as it is on disk without being closed, with SQLite's log beside it."""
        with self._opened(self._last) as engine:
            yield engine

    def _copy(self) -> Engine:
        return self._opened(self._base)

    def _opened(self, path: Path) -> Engine:
        self._last = path.with_name(f"{next(self._numbers)}.db")
        for end in ("", "-wal"):
            shutil.copyfile(f"{path}{end}", f"{self._last}{end}")
        return _on_file(self._last)


class HttpBackend(Backend):
    """A scenario behind an endpoint; faults happen there, and errors come over the wire."""

    def __init__(self, base: Scenario, behind: Exchangeable, driver: Remote) -> None:
        super().__init__(base)
        self._behind = behind
        self._driver = driver

    @contextmanager
    def faulty_copy(self) -> Generator[tuple[Scenario, FaultyDriver | AsyncFaultyDriver]]:
        """Return a copy and the driver behind the endpoint."""
        with self._copy() as engine:
            self._behind.engine = faulty = AsyncFaultyDriver(AsyncEngine(engine))
            yield open_copy(self.base, engine, self._driver), faulty

    def _driver_of(self, engine: Engine) -> Driver:
        self._behind.engine = AsyncEngine(engine)
        return self._driver


class Backends(Mapping[str, Backend]):
    """All backends by name, each created on first use with this number of elections."""

    def __init__(self, folder: Path, far_end: tuple[Exchangeable, str], elections: int) -> None:
        self._folder = folder
        self._far_end = far_end
        self._elections = elections
        self._made: dict[str, Backend] = {}
        self._open = ExitStack()

    def __enter__(self) -> Backends:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def __getitem__(self, name: str) -> Backend:
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(BACKENDS)

    def __len__(self) -> int:
        return len(BACKENDS)

    def _make(self, name: str) -> Backend:
        if name == "file":
            path = self._folder / "base.db"
            return FileBackend(self._busy(_on_file(path)), path)
        base = self._busy(Engine.in_memory())
        if name == "memory":
            return Backend(base)
        behind, address = self._far_end
        return HttpBackend(base, behind, self._open.enter_context(remote_driver(address)))

    def _busy(self, engine: Engine) -> Scenario:
        return make_scenario(self._open.enter_context(engine), self._elections)


def _on_file(path: Path) -> Engine:
    return Engine.on_file(path, Settings(durable=False))
