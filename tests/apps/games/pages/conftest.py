"""The pages of games. Every store call of a test must be a declared pattern."""

from __future__ import annotations

import pytest

from tests.apps.games.pages.client import PagesApp
from tests.apps.games.support.world import World


@pytest.fixture
def app(memory: World) -> PagesApp:
    """Return the pages in memory."""
    return PagesApp(memory)
