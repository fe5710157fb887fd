"""Two apps: elections, and a small one from the folder of these tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from singletable_apps.home.apps import find_apps
from singletable_apps.shared.frame import AppSpec
from tests.apps.home.extra_packages import extra_packages


@pytest.fixture(scope="module")
def apps() -> Iterator[tuple[AppSpec[Any], ...]]:
    """Return elections and pebbles, found as any app is."""
    with extra_packages(Path(__file__).parent / "example_apps"):
        yield tuple(app for app in find_apps() if app.name in ("elections", "pebbles"))
