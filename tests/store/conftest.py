"""One fixture for every driver and both faces: a claim about the store is tried on all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from singletable.engine import AsyncEngine, Engine, Settings
from singletable.remote import AsyncRemote, Remote
from singletable.store import Store
from tests.conformance.endpoint import Exchangeable, endpoint
from tests.store.clock import Clock
from tests.store.faces import Face

# In this process, in a file, and behind an endpoint that is asked over HTTP.
FACES = ("memory", "memory, awaited", "file", "file, awaited", "http", "http, awaited")


@pytest.fixture(scope="session")
def far_end() -> Iterator[tuple[Exchangeable, Remote]]:
    """An endpoint and a driver for it; its engine is given to it test by test."""
    with endpoint() as (behind, host, port), Remote.at(f"dynamodb+http://{host}:{port}") as driver:
        yield behind, driver


@pytest.fixture
def clock() -> Clock:
    """The clock that stores are opened with."""
    return Clock()


@pytest.fixture(params=FACES)
def face(request: pytest.FixtureRequest, clock: Clock) -> Iterator[Face]:
    """A driver with no tables, and how a store is opened on it."""
    where, _, awaited = str(request.param).partition(", ")
    loop = asyncio.new_event_loop() if awaited else None
    folder: Path = request.getfixturevalue("tmp_path")
    # Whether a power cut loses something is tried elsewhere, and costs time here.
    on_disk = Settings(durable=False)
    engine = Engine.on_file(folder / "t.db", on_disk) if where == "file" else Engine.in_memory()
    with engine:
        if where == "http":
            behind, remote = request.getfixturevalue("far_end")
            behind.engine = AsyncEngine(engine)
            far = AsyncRemote.at(f"dynamodb+{remote.place}") if loop else None
            yield Face(remote, clock, loop, far)
            if loop is not None and far is not None:
                loop.run_until_complete(far.aclose())
        else:
            yield Face(engine, clock, loop, AsyncEngine(engine))
    if loop is not None:
        loop.close()


@pytest.fixture
def empty(face: Face) -> Store:
    """A store without a table."""
    return face.open()
