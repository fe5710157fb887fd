"""A place for each test, in which nobody has asked anything yet."""

from __future__ import annotations

import pytest

from tests.apps.polls.api.people import Place, make_place


@pytest.fixture
def place() -> Place:
    return make_place()
