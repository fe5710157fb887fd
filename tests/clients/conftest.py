"""One endpoint for all clients: the command that users run, as a process of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.clients.endpoint import Endpoint, running_endpoint


@pytest.fixture(scope="session")
def endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoint]:
    """An endpoint in memory; each client signs for itself, and keeps to tables of its own."""
    with running_endpoint(tmp_path_factory.mktemp("endpoint")) as endpoint:
        yield endpoint
