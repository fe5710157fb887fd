"""A store with the table `expiring`: in memory, in a file, and over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dynamodb_engine import AsyncEngine, Driver, Engine, Settings
from dynamodb_engine.testing import endpoint
from singletable import Remote, Store
from singletable.testing import StoreClock
from singletable_apps.shared.expiry import expiring
from tools.testing.exchangeable import Exchangeable


@pytest.fixture(scope="session")
def remote_endpoint() -> Iterator[tuple[Exchangeable, Remote]]:
    """Yield an endpoint and a driver for it; each test sets its engine."""
    behind = Exchangeable()
    with endpoint(behind) as url, Remote.at(f"dynamodb+{url}") as driver:
        yield behind, driver


@pytest.fixture(params=("memory", "file", "http"))
def driver(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Driver]:
    """Yield a driver without tables."""
    where = str(request.param)
    on_disk = Settings(durable=False)
    with (
        Engine.on_file(tmp_path / "t.db", on_disk) if where == "file" else Engine.in_memory()
    ) as engine:
        if where == "http":
            behind, remote = request.getfixturevalue("remote_endpoint")
            behind.engine = AsyncEngine(engine)
            yield remote
        else:
            yield engine


@pytest.fixture
def store(driver: Driver, store_clock: StoreClock) -> Store:
    """Return a store in which the table has another name, as in apps."""
    store = Store(driver, tables={expiring: "vote_sessions"}, clock=store_clock)
    store.admin.create_table(expiring)
    return store
