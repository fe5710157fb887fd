"""An engine whose changes take time."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.engine.control.slow_engine import SlowEngine, slow_engine


@pytest.fixture
def slow() -> Iterator[SlowEngine]:
    """Return an engine in memory whose changes take time."""
    with slow_engine() as engine:
        yield engine
