"""One endpoint for all clients: the command that users run, as a process of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.clients.endpoint import Endpoint, running_endpoint


@pytest.fixture(scope="session")
def endpoint() -> Iterator[Endpoint]:
    """An endpoint in memory; each client keeps to tables of its own."""
    with running_endpoint() as endpoint:
        yield endpoint
