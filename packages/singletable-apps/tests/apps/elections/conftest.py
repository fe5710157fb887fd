"""Elections in memory, and on every driver. Every store call must be a declared pattern."""

from __future__ import annotations

from tests.apps.support.elections.world import World
from tests.apps.support.worlds import world_fixtures

tables, memory, worlds, world = world_fixtures(World)
