"""A server with pages, and a visitor."""

from __future__ import annotations

import pytest

from tests.apps.polls.pages.client import Server, Visitor


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def ada(server: Server) -> Visitor:
    return server.new_visitor()
