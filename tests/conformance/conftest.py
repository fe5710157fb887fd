"""One fixture for every driver there is: a claim about DynamoDB runs on all of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from singletable.engine import Engine, Settings
from singletable.operations import Driver
from tests.conformance.wire import WireDriver, wire_driver

# In this process, in a file, and through boto3 to an endpoint.
DRIVERS = ("memory", "file", "wire")
_number = count()


@pytest.fixture(scope="session")
def far_end() -> Iterator[WireDriver]:
    """A driver at the far end of the wire; its engine is given to it test by test."""
    with wire_driver() as driver:
        yield driver


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all files: to make one for each takes as long as a test does."""
    return tmp_path_factory.mktemp("tables")


@pytest.fixture(params=DRIVERS)
def driver(request: pytest.FixtureRequest) -> Iterator[Driver]:
    """A driver with no tables."""
    match request.param:
        case "memory":
            with Engine.in_memory() as engine:
                yield engine
        case "file":
            folder: Path = request.getfixturevalue("folder")
            # Whether a power cut loses something is tried elsewhere, and costs time here.
            with Engine.on_file(folder / f"{next(_number)}.db", Settings(durable=False)) as engine:
                yield engine
        case _:
            far_end: WireDriver = request.getfixturevalue("far_end")
            with Engine.in_memory() as engine:
                yield far_end.asks(engine)
