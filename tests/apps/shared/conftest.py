"""A store with the table of what is kept for a while: in memory, in a file, and over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from singletable import AsyncEngine, Driver, Engine, Remote, Settings, Store
from singletable.testing import StoreClock
from singletable_apps.shared.accounts.entities import expiring
from tests.conformance.endpoint import Exchangeable, endpoint


@pytest.fixture(scope="session")
def far_end() -> Iterator[tuple[Exchangeable, Remote]]:
    """An endpoint and a driver for it; its engine is given to it test by test."""
    with endpoint() as (behind, host, port), Remote.at(f"dynamodb+http://{host}:{port}") as driver:
        yield behind, driver


@pytest.fixture(params=("memory", "file", "http"))
def driver(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Driver]:
    """A driver with no tables."""
    where = str(request.param)
    on_disk = Settings(durable=False)
    with (
        Engine.on_file(tmp_path / "t.db", on_disk) if where == "file" else Engine.in_memory()
    ) as engine:
        if where == "http":
            behind, remote = request.getfixturevalue("far_end")
            behind.engine = AsyncEngine(engine)
            yield remote
        else:
            yield engine


@pytest.fixture
def store(driver: Driver, store_clock: StoreClock) -> Store:
    """A store that calls the table by a name of an app, as apps do."""
    opened = Store(driver, tables={expiring: "vote_sessions"}, clock=store_clock)
    opened.admin.create_table(expiring)
    return opened
