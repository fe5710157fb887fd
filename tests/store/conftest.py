"""A fixture that runs each store test on every driver, sync and async."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from singletable.engine import AsyncEngine, Engine, Settings
from singletable.remote import AsyncRemote, Remote
from singletable.remote.address import ConnectionOptions, parse_address
from singletable.remote.config import ResolvedConfig, resolve_config
from singletable.store import Store
from tests.conformance.endpoint import Exchangeable, endpoint
from tests.store.clock import Clock
from tests.store.faces import Face
from tests.store.known_failures import FAILS, FOREIGN
from tests.store.other_engines import Foreign, ForeignEngine

# Engines of others take their time: each claim is tried on one of them, in turn, and
# `make test-engines` tries every case on all of them.
EVERY_CASE = os.environ.get("ENGINES") == "all"
# In this process, in a file, and behind an endpoint that is asked over HTTP.
OURS = ("memory", "memory, awaited", "file", "file, awaited", "http", "http, awaited")


@pytest.fixture(scope="session")
def far_end() -> Iterator[tuple[Exchangeable, Remote]]:
    """An endpoint and a driver for it; its engine is given to it test by test."""
    with endpoint() as (behind, host, port), Remote.at(f"dynamodb+http://{host}:{port}") as driver:
        yield behind, driver


@pytest.fixture(scope="session")
def found(far_end: tuple[Exchangeable, Remote]) -> tuple[ResolvedConfig, ConnectionOptions]:
    """What the address of the endpoint leads to; finding out takes longer than most tests."""
    options = parse_address(f"dynamodb+{far_end[1].endpoint}")
    return resolve_config(options), options


@pytest.fixture(scope="session")
def foreign() -> Iterator[Foreign]:
    """The engines of others, each started when it is first asked for."""
    with Foreign() as engines:
        yield engines


def _face_of(item: pytest.Item) -> str:
    """The face that a test is run on, if it is run on one."""
    case: Any = getattr(item, "callspec", None)  # pytest does not say what it is
    return "" if case is None else str(case.params.get("face", ""))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Try one case of each claim on an engine of others; expect what is known to fail there."""
    left_out: list[pytest.Item] = []
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
            left_out.append(item)
        elif engine == turn:
            seen.add(claim)
        why = FAILS.get((engine, name)) or FAILS.get((engine, item.name))
        if why is not None:
            item.add_marker(pytest.mark.xfail(strict=True, reason=f"{engine}: {why}"))
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        gone = set(map(id, left_out))
        items[:] = [item for item in items if id(item) not in gone]


@pytest.fixture
def clock() -> Clock:
    """The clock that stores are opened with."""
    return Clock()


@pytest.fixture(params=(*OURS, *FOREIGN))
def face(request: pytest.FixtureRequest, clock: Clock) -> Iterator[Face]:
    """A driver with no tables, and how a store is opened on it."""
    where, _, awaited = str(request.param).partition(", ")
    if where in FOREIGN:
        # Their tables are there at once, or nearly.
        monkeypatch: pytest.MonkeyPatch = request.getfixturevalue("monkeypatch")
        monkeypatch.setattr("singletable.store.admin.POLL_INTERVAL", 0.005)
        yield Face(
            ForeignEngine(where, request.getfixturevalue("foreign").emptied(where)), clock, None
        )
        return
    loop = asyncio.new_event_loop() if awaited else None
    with _on_file(request) if where == "file" else Engine.in_memory() as engine:
        if where == "http":
            behind, remote = request.getfixturevalue("far_end")
            behind.engine = AsyncEngine(engine)
            far = AsyncRemote(*request.getfixturevalue("found")) if loop else None
            yield Face(remote, clock, loop, far)
            if loop is not None and far is not None:
                loop.run_until_complete(far.aclose())
        else:
            yield Face(engine, clock, loop, AsyncEngine(engine))
    if loop is not None:
        loop.close()


def _on_file(request: pytest.FixtureRequest) -> Engine:
    folder: Path = request.getfixturevalue("tmp_path")
    # Whether a power cut loses something is tried elsewhere, and costs time here.
    return Engine.on_file(folder / "t.db", Settings(durable=False))


@pytest.fixture
def empty(face: Face) -> Store:
    """A store without a table."""
    return face.open()
