"""A new server for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.apps.portfolio.api.client import Server, make_server


@pytest.fixture
def server() -> Iterator[Server]:
    """Return a server with an owner and two authors, in memory."""
    made = make_server()
    yield made
    made.world.check_calls()
