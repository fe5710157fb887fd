"""After a long history by chance all is sound, and the table is what the log alone gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from singletable import Engine
from singletable_apps.elections.projection import rebuild
from tests.apps.elections.rig.walking import Walk
from tests.apps.elections.rig.world import World, dump, store_on


def _walk(world: World, seed: int, steps: int) -> Walk:
    walk = Walk(world, [world.service, world.open()], seed)
    for step in range(1, steps + 1):
        walk.step()
        if step % 25 == 0:
            walk.check()
    walk.check()
    kept = dump(world.driver)
    rebuild(store_on(world.driver))
    assert dump(world.driver) == kept
    return walk


@pytest.mark.parametrize("seed", range(2))
def test_a_long_history_gives_the_table_that_its_log_gives(memory: World, seed: int) -> None:
    walk = _walk(memory, seed, 250)
    assert walk.came_to["taken"] > 80, walk.came_to
    assert len(walk.came_to) > 3, f"refusals of several kinds: {walk.came_to}"


def test_a_history_is_as_good_on_every_driver(world: World) -> None:
    _walk(world, seed=7, steps=60)


def test_a_history_is_there_when_its_file_is_opened_again(tmp_path: Path) -> None:
    with Engine.on_file(tmp_path / "t.db") as engine:
        _walk(World(engine), seed=11, steps=40)
        kept = dump(engine)
    with Engine.on_file(tmp_path / "t.db") as engine:
        assert dump(World(engine).driver) == kept
