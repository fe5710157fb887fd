"""A store whose driver fails on demand, and the catalog that its calls are recognized by."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from singletable import Engine
from singletable.faults import FaultyDriver


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultyDriver]:
    # Nobody needs to wait for real.
    waits: list[float] = []
    monkeypatch.setattr("time.sleep", waits.append)
    with Engine.in_memory() as engine:
        yield FaultyDriver(engine)
