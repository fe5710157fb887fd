"""Polls that are served, for tests that look at them in a browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.browser.polls.server import Served, serve


@pytest.fixture(scope="session")
def served() -> Iterator[Served]:
    """The pages of polls on a port; each test makes polls of its own."""
    with serve() as served:
        yield served
