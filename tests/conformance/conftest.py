"""One fixture for every driver there is: a claim about DynamoDB runs on all of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from singletable.engine import Engine
from singletable.operations import Driver

DRIVERS = ("memory", "file")


@pytest.fixture(params=DRIVERS)
def driver(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Driver]:
    """A driver with no tables."""
    match request.param:
        case "memory":
            engine = Engine.in_memory()
        case _:
            engine = Engine.on_file(tmp_path / "tables.db")
    with engine:
        yield engine
