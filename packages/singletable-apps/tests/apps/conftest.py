"""The drivers that apps run on: in memory, on a file, and over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from anyio.from_thread import start_blocking_portal
from fastapi.testclient import TestClient

from dynamodb_engine import AsyncEngine, Driver, Engine, Settings
from dynamodb_engine.testing import endpoint
from singletable_apps.shared.accounts import Passwords
from tests.apps.support.remote import remote_driver
from tests.conformance.endpoint import Exchangeable


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


@pytest.fixture
def no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip the backoff of stores."""
    monkeypatch.setattr("time.sleep", [].append)


@pytest.fixture(scope="session", autouse=True)
def password_cost() -> Iterator[tuple[int, ...]]:
    """Hash passwords quickly where a test does not say how, and yield the real defaults."""
    function = Passwords.__init__
    with pytest.MonkeyPatch.context() as patch:
        defaults: tuple[int, ...] = function.__defaults__ or ()
        patch.setattr(function, "__defaults__", (64, 1, *defaults[2:]))
        yield defaults


@pytest.fixture(scope="session", autouse=True)
def event_loop_of_clients() -> Iterator[None]:
    """Let all clients share one event loop: one loop and its threads per request cost more time.

    A server has one event loop for all requests too.
    """
    with start_blocking_portal() as portal:
        TestClient.portal = portal
        yield
        TestClient.portal = None
