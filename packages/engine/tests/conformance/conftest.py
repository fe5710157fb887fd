"""The `driver` fixture: every claim about DynamoDB runs on every driver."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dynamodb_engine.operations import Driver
from tests.conformance.boto3_driver import WireDriver, wire_driver
from tests.conformance.drivers import DRIVERS, open_driver


@pytest.fixture(scope="session")
def far_end() -> Iterator[WireDriver]:
    """Return a driver that sends HTTP requests; each test sets its engine."""
    with wire_driver() as driver:
        yield driver


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return one folder for all files, since creating one per test takes as long as a test."""
    return tmp_path_factory.mktemp("tables")


@pytest.fixture(scope="module", params=DRIVERS)
def driver(request: pytest.FixtureRequest) -> Iterator[Driver]:
    """Return a driver for all tests of a module, each of which makes its own tables."""
    with open_driver(request) as driver:
        yield driver
