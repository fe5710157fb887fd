"""A new server for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.apps.skills.api.client import Server, make_server


@pytest.fixture
def server() -> Iterator[Server]:
    """Return a server with people, in memory."""
    made = make_server()
    yield made
    made.world.check_calls()
