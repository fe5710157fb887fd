"""A place with pages, and somebody who comes there."""

from __future__ import annotations

import pytest

from tests.apps.polls.pages.visitors import Place, Visitor


@pytest.fixture
def place() -> Place:
    return Place()


@pytest.fixture
def ada(place: Place) -> Visitor:
    return place.somebody()
