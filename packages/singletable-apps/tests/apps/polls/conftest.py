"""Polls in memory, and on every driver."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from singletable import Engine
from tests.apps.polls.support.actions import Busy, busy
from tests.apps.polls.support.harness import World
from tests.apps.support.worlds import world_fixtures

tables, memory, worlds, world = world_fixtures(World)


@pytest.fixture
def few_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take snapshots after a few entries."""
    monkeypatch.setattr("singletable_apps.polls.tally.MIN_NEW_ENTRIES", 3)


@pytest.fixture(scope="module")
def base() -> Iterator[Busy]:
    """Return a world that each test copies."""
    with Engine.in_memory() as engine:
        yield busy(engine)
