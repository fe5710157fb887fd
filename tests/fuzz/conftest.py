"""What the attacks share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fuzz.world import World


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    """Tables to attack."""
    world = World()
    yield world
    world.engine.close()
