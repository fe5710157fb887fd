"""Fixtures for browser tests of games."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.browser.games.server import Served, serve


@pytest.fixture(scope="session")
def served() -> Iterator[Served]:
    """Serve games; each test creates its own."""
    with serve() as served:
        yield served
