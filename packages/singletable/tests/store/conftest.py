"""A fixture that runs each store test on every driver, sync and async."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dynamodb_engine.engine import AsyncEngine, Engine, Settings
from dynamodb_engine.testing import endpoint
from singletable.remote import AsyncRemote, Remote
from singletable.remote.address import ConnectionOptions, parse_address
from singletable.remote.config import ResolvedConfig, resolve_config
from singletable.store import Call, Store
from singletable.testing import StoreClock
from tests.store.known_failures import FAILS, FOREIGN
from tests.store.other_engines import Foreign, ForeignEngine
from tests.store.store_adapter import StoreOpener
from tools.testing.exchangeable import Exchangeable

# Other engines are slow: each test runs on one of them in turn; `make test-engines` runs all
# cases on all of them.
EVERY_CASE = os.environ.get("ENGINES") == "all"
# In memory, in a file, and behind an HTTP endpoint.
OURS = ("memory", "memory, async", "file", "file, async", "http", "http, async")


@pytest.fixture(scope="session")
def far_end() -> Iterator[tuple[Exchangeable, Remote]]:
    """Start an endpoint and connect to it; each test sets its engine."""
    behind = Exchangeable()
    with endpoint(behind) as url, Remote.at(f"dynamodb+{url}") as driver:
        yield behind, driver


@pytest.fixture(scope="session")
def found(far_end: tuple[Exchangeable, Remote]) -> tuple[ResolvedConfig, ConnectionOptions]:
    """Resolve the address of the endpoint once, because it takes longer than most tests."""
    options = parse_address(f"dynamodb+{far_end[1].endpoint}")
    return resolve_config(options), options


@pytest.fixture(scope="session")
def foreign() -> Iterator[Foreign]:
    """Provide the other engines, each started when it is first used."""
    with Foreign() as engines:
        yield engines


def _face_of(item: pytest.Item) -> str:
    """Return the driver that a test runs on, or an empty string."""
    case: Any = getattr(item, "callspec", None)  # pytest does not say what it is
    return "" if case is None else str(case.params.get("opener", ""))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run one case of each test on another engine, and mark known failures."""
    deselected: list[pytest.Item] = []
    claims: dict[tuple[str, str], int] = {}
    seen: set[tuple[str, str]] = set()
    for item in items:
        engine = _face_of(item)
        if engine not in FOREIGN:
            continue
        name = getattr(item, "originalname", item.name)
        claim = (str(item.path), name)
        turn = FOREIGN[claims.setdefault(claim, len(claims)) % len(FOREIGN)]
        if not EVERY_CASE and (engine != turn or claim in seen or "large" in item.path.name):
            deselected.append(item)
        elif engine == turn:
            seen.add(claim)
        why = FAILS.get((engine, name)) or FAILS.get((engine, item.name))
        if why is not None:
            item.add_marker(pytest.mark.xfail(strict=True, reason=f"{engine}: {why}"))
    if deselected:
        config.hook.pytest_deselected(items=deselected)
        gone = set(map(id, deselected))
        items[:] = [item for item in items if id(item) not in gone]


@pytest.fixture
def clock() -> StoreClock:
    """Return the clock of the stores."""
    return StoreClock()


@pytest.fixture(params=(*OURS, *FOREIGN))
def opener(request: pytest.FixtureRequest, clock: StoreClock) -> Iterator[StoreOpener]:
    """Provide a driver without tables, and a way to open stores on it."""
    where, _, is_async = str(request.param).partition(", ")
    if where in FOREIGN:
        # Their tables are active almost at once.
        monkeypatch: pytest.MonkeyPatch = request.getfixturevalue("monkeypatch")
        monkeypatch.setattr("singletable.store.admin.POLL_INTERVAL", 0.005)
        yield StoreOpener(
            ForeignEngine(where, request.getfixturevalue("foreign").emptied(where)), clock, None
        )
        return
    loop = asyncio.new_event_loop() if is_async else None
    with _on_file(request) if where == "file" else Engine.in_memory() as engine:
        if where == "http":
            behind, remote = request.getfixturevalue("far_end")
            behind.engine = AsyncEngine(engine)
            far = AsyncRemote(*request.getfixturevalue("found")) if loop else None
            yield StoreOpener(remote, clock, loop, far)
            if loop is not None and far is not None:
                loop.run_until_complete(far.aclose())
        else:
            yield StoreOpener(engine, clock, loop, AsyncEngine(engine))
    if loop is not None:
        loop.close()


def _on_file(request: pytest.FixtureRequest) -> Engine:
    folder: Path = request.getfixturevalue("tmp_path")
    # Durability is tested elsewhere, and takes time.
    return Engine.on_file(folder / "t.db", Settings(durable=False))


@pytest.fixture
def empty(opener: StoreOpener) -> Store:
    """Return a store without tables."""
    return opener.open()


@pytest.fixture
def store(empty: Store, request: pytest.FixtureRequest) -> Store:
    """Return a store with the tables that the module lists in TABLES."""
    for table in request.module.TABLES:
        empty.admin.create_table(table)
    return empty


@pytest.fixture
def calls() -> list[Call]:
    """Return the list of calls that observed stores fill."""
    return []


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Do not wait for real, but return a list of the times."""
    waits: list[float] = []
    monkeypatch.setattr("time.sleep", waits.append)
    return waits
