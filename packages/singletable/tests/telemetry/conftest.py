"""A driver that fails on demand."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dynamodb_engine.faults import FaultyDriver
from singletable import Engine


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultyDriver]:
    # Do not really wait before retries.
    waits: list[float] = []
    monkeypatch.setattr("time.sleep", waits.append)
    with Engine.in_memory() as engine:
        yield FaultyDriver(engine)
