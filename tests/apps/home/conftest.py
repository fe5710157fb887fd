"""A second app, which lies in a folder of the tests and is found as any other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from singletable_apps.home.apps import DiscoveredApp, find_apps
from tests.apps.home.beside import beside


@pytest.fixture(scope="module")
def apps() -> Iterator[tuple[DiscoveredApp, ...]]:
    """Elections, and pebbles as if their folder lay beside."""
    with beside(Path(__file__).parent / "more"):
        yield tuple(app for app in find_apps() if app.folder in ("elections", "pebbles"))
