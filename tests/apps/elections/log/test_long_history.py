"""After a long history by chance all is sound, and the table is what the log alone gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from singletable import Engine
from singletable_apps.elections.projection import rebuild
from tests.apps.support.elections.random_walk import RandomWalk
from tests.apps.support.elections.world import World, dump_items, open_store


def _walk(world: World, seed: int, steps: int) -> RandomWalk:
    walk = RandomWalk(world, [world.service, world.open_service()], seed)
    for step in range(1, steps + 1):
        walk.step()
        if step % 25 == 0:
            walk.check()
    walk.check()
    kept = dump_items(world.driver)
    rebuild(open_store(world.driver))
    assert dump_items(world.driver) == kept
    return walk


@pytest.mark.parametrize("seed", range(2))
def test_a_long_history_gives_the_table_that_its_log_gives(memory: World, seed: int) -> None:
    walk = _walk(memory, seed, 250)
    assert walk.outcomes["taken"] > 80, walk.outcomes
    assert len(walk.outcomes) > 3, f"refusals of several kinds: {walk.outcomes}"


def test_a_history_is_as_good_on_every_driver(world: World) -> None:
    _walk(world, seed=7, steps=60)


def test_a_history_is_there_when_its_file_is_opened_again(tmp_path: Path) -> None:
    with Engine.on_file(tmp_path / "t.db") as engine:
        _walk(World(engine), seed=11, steps=40)
        kept = dump_items(engine)
    with Engine.on_file(tmp_path / "t.db") as engine:
        assert dump_items(World(engine).driver) == kept
