"""Fixtures for tests of what belongs to a post."""

from __future__ import annotations

import pytest

from singletable_apps.portfolio.entities import Blog
from tests.apps.portfolio.support.harness import World
from tests.apps.portfolio.support.posts import store_post


@pytest.fixture
def post(memory: World) -> Blog:
    """Store a public post, `tea`, in memory."""
    return store_post(memory)
