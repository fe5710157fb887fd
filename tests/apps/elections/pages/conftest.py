"""A town with an owner and a voter, in which what pages ask the store for is declared."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.apps.elections.pages.clicking import Person, Town, make_town


@pytest.fixture
def town() -> Iterator[Town]:
    made = make_town()
    yield made
    made.world.check_calls()


@pytest.fixture
def ada(town: Town) -> Person:
    """Who registers first, and owns the application."""
    return town.joins("Ada")


@pytest.fixture
def ben(town: Town, ada: Person) -> Person:
    """Who may use the application."""
    return town.joins("Ben")
