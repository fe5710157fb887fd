"""Run one endpoint for all clients, as a process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.clients.endpoint import Endpoint, running_endpoint


@pytest.fixture(scope="session")
def endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoint]:
    """Yield an endpoint in memory; each client signs its requests and uses its own tables."""
    with running_endpoint(tmp_path_factory.mktemp("endpoint")) as endpoint:
        yield endpoint
