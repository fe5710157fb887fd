"""The `driver` fixture: every claim about DynamoDB runs on every driver."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

from singletable.engine import Engine, Settings
from singletable.operations import Driver
from tests.conformance.boto3_driver import WireDriver, wire_driver

# In memory, on a file, and over HTTP through boto3.
DRIVERS = ("memory", "file", "wire")
_number = count()


@pytest.fixture(scope="session")
def far_end() -> Iterator[WireDriver]:
    """Return a driver that speaks HTTP; each test gives it an engine."""
    with wire_driver() as driver:
        yield driver


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return one folder for all files, since creating one per test takes as long as a test."""
    return tmp_path_factory.mktemp("tables")


@pytest.fixture(params=DRIVERS)
def driver(request: pytest.FixtureRequest) -> Iterator[Driver]:
    """Return a driver without tables."""
    with _opened(request) as driver:
        yield driver


@pytest.fixture(scope="module", params=DRIVERS)
def shared_driver(request: pytest.FixtureRequest) -> Iterator[Driver]:
    """Return a driver for all tests of a module."""
    with _opened(request) as driver:
        yield driver


@contextmanager
def _opened(request: pytest.FixtureRequest) -> Generator[Driver]:
    match request.param:
        case "memory":
            with Engine.in_memory() as engine:
                yield engine
        case "file":
            folder: Path = request.getfixturevalue("folder")
            # Durability is tested elsewhere and costs time here.
            with Engine.on_file(folder / f"{next(_number)}.db", Settings(durable=False)) as engine:
                yield engine
        case _:
            far_end: WireDriver = request.getfixturevalue("far_end")
            with Engine.in_memory() as engine:
                yield far_end.asks(engine)
