"""A new server for each test."""

from __future__ import annotations

import pytest

from tests.apps.polls.api.client import Server, make_server


@pytest.fixture
def server() -> Server:
    return make_server()
