"""A new server for each test. Every store call must be a declared pattern."""

from __future__ import annotations

import pytest

from tests.apps.games.api.client import Server
from tests.apps.games.support.world import World


@pytest.fixture
def server(memory: World) -> Server:
    """Return a server in memory."""
    return Server(memory)
