"""An engine whose changes take time."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.engine.control.clock import Slow, slow_engine


@pytest.fixture
def slow() -> Iterator[Slow]:
    """An engine in memory that takes as long as AWS would, by a clock of ours."""
    with slow_engine() as engine:
        yield engine
