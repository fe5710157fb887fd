"""One fixture for every driver there is: a claim about DynamoDB runs on all of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from singletable.engine import Engine
from singletable.operations import Driver
from tests.conformance.wire import WireDriver, wire_driver

# In this process, in a file, and through boto3 to an endpoint.
DRIVERS = ("memory", "file", "wire")


@pytest.fixture(scope="session")
def far_end() -> Iterator[WireDriver]:
    """A driver at the far end of the wire; its engine is given to it test by test."""
    with wire_driver() as driver:
        yield driver


@pytest.fixture(params=DRIVERS)
def driver(request: pytest.FixtureRequest) -> Iterator[Driver]:
    """A driver with no tables."""
    match request.param:
        case "memory":
            with Engine.in_memory() as engine:
                yield engine
        case "file":
            folder: Path = request.getfixturevalue("tmp_path")
            with Engine.on_file(folder / "tables.db") as engine:
                yield engine
        case _:
            far_end: WireDriver = request.getfixturevalue("far_end")
            with Engine.in_memory() as engine:
                yield far_end.asks(engine)
