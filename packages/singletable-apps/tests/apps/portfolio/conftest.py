"""The portfolio on every driver."""

from __future__ import annotations

from tests.apps.portfolio.support.harness import World
from tests.apps.support.worlds import world_fixtures

tables, memory, worlds, world = world_fixtures(World)
