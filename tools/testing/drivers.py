"""Fixtures: the drivers that programs run on, in memory, on a file, and over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from dynamodb_engine import Settings
from dynamodb_engine.testing import LaggingDriver, endpoint
from singletable import AsyncEngine, Driver, Engine, Remote
from singletable.remote.address import ConnectionOptions, parse_address
from singletable.remote.config import ResolvedConfig, resolve_config
from tools.testing.exchangeable import Exchangeable


def remote_driver(address: str) -> Remote:
    """Return a new driver. Each address is resolved once, which takes longer than most tests."""
    return Remote(*_resolve(address))


def lagging(driver: Driver) -> LaggingDriver:
    """Return a driver of an engine in memory whose eventually consistent reads lag."""
    assert isinstance(driver, Engine)
    return LaggingDriver(driver)


@cache
def _resolve(address: str) -> tuple[ResolvedConfig, ConnectionOptions]:
    options = parse_address(address)
    return resolve_config(options), options


@pytest.fixture(scope="session")
def far_end() -> Iterator[tuple[Exchangeable, str]]:
    """Run an endpoint whose engine is set by each test; yield it with its address."""
    behind = Exchangeable()
    with endpoint(behind) as url:
        yield behind, f"dynamodb+{url}"


@pytest.fixture(params=("memory", "file", "http"))
def drivers(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Driver, Driver]]:
    """Two drivers for the same table, of each kind, as two processes would have them."""
    if request.param == "file":
        with Engine.on_file(tmp_path / "tables.db", Settings(durable=False)) as engine:
            yield engine, engine
        return
    with Engine.in_memory() as engine:
        if request.param == "memory":
            yield engine, engine
            return
        far_end: tuple[Exchangeable, str] = request.getfixturevalue("far_end")
        behind, address = far_end
        behind.engine = AsyncEngine(engine)
        with remote_driver(address) as one, remote_driver(address) as other:
            yield one, other
