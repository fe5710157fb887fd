"""After a long random history, everything is consistent and a rebuild gives the same table."""

from __future__ import annotations

from pathlib import Path

import pytest

from singletable import Engine
from singletable_apps.elections.rebuild import rebuild
from tests.apps.support.elections.random_walk import RandomWalk
from tests.apps.support.elections.world import KEYS, World, dump_items, open_store


def _walk(world: World, seed: int, steps: int) -> RandomWalk:
    walk = RandomWalk(world, [world.service, world.open()], seed)
    for step in range(1, steps + 1):
        walk.step()
        if step % 25 == 0:
            walk.check()
    walk.check()
    before = dump_items(world.driver)
    rebuild(open_store(world.driver), KEYS.ballot_key)
    assert dump_items(world.driver) == before
    return walk


@pytest.mark.rest
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.rest)])
def test_rebuild_after_random_commands_gives_the_same_table(memory: World, seed: int) -> None:
    walk = _walk(memory, seed, 250)
    assert walk.outcomes["taken"] > 80, walk.outcomes
    assert len(walk.outcomes) > 3, f"expected several kinds of refusals: {walk.outcomes}"


@pytest.mark.rest
def test_random_history_works_on_every_driver(world: World) -> None:
    _walk(world, seed=7, steps=60)


def test_table_is_unchanged_after_reopening_the_file(tmp_path: Path) -> None:
    with Engine.on_file(tmp_path / "t.db") as engine:
        _walk(World(engine), seed=11, steps=40)
        before = dump_items(engine)
    with Engine.on_file(tmp_path / "t.db") as engine:
        assert dump_items(World(engine).driver) == before
