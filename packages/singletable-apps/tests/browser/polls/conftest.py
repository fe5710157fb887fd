"""Fixtures for browser tests of polls."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.browser.polls.server import Served, serve


@pytest.fixture(scope="session")
def served() -> Iterator[Served]:
    """Serve the pages; each test creates its own polls."""
    with serve() as served:
        yield served
