"""One fixture for every driver and both faces: a claim about the store is tried on all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from singletable.engine import AsyncEngine, Engine, Settings
from singletable.store import Store
from tests.conformance.wire import WireDriver, wire_driver
from tests.store.clock import Clock
from tests.store.faces import Face

FACES = ("memory", "memory, awaited", "file", "file, awaited", "wire", "wire, awaited")


@pytest.fixture(scope="session")
def far_end() -> Iterator[WireDriver]:
    """A driver at the far end of the wire; its engine is given to it test by test."""
    with wire_driver() as driver:
        yield driver


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
        if where == "wire":
            far_end: WireDriver = request.getfixturevalue("far_end")
            yield Face(far_end.asks(engine), clock, loop)
        else:
            yield Face(engine, clock, loop, AsyncEngine(engine))
    if loop is not None:
        loop.close()


@pytest.fixture
def empty(face: Face) -> Store:
    """A store without a table."""
    return face.open()
