"""Two apps: elections, and a small one from the folder of these tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from singletable_apps.home.apps import DiscoveredApp, find_apps
from tests.apps.home.extra_packages import extra_packages


@pytest.fixture(scope="module")
def apps() -> Iterator[tuple[DiscoveredApp, ...]]:
    """Return elections and pebbles, found as any app is."""
    with extra_packages(Path(__file__).parent / "example_apps"):
        yield tuple(app for app in find_apps() if app.folder in ("elections", "pebbles"))
