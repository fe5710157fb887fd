"""Fixtures: the pages of a small app, and a browser for them."""

from __future__ import annotations

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from singletable_apps.shared.pages import Pages
from tests.apps.shared.pages.site import browser_at, make_pages, make_site


@pytest.fixture
def pages(tmp_path: Path) -> Pages:
    """Return the pages of the small app."""
    return make_pages(tmp_path)


@pytest.fixture
def browser(pages: Pages) -> TestClient:
    """Return a browser without scripts."""
    return browser_at(make_site(pages))
