"""Who builds the table anew is alone at it, and does not stand in the way when they are gone."""

from __future__ import annotations

from datetime import timedelta

import pytest

from singletable_apps.elections.entities import Sync
from singletable_apps.elections.errors import CorruptLog, RebuildInProgress
from singletable_apps.elections.events import Event
from singletable_apps.elections.projection import rebuild
from singletable_apps.elections.projection.rebuild import LEASE_DURATION
from tests.apps.support.drivers import PowerCut, PowerCutDriver
from tests.apps.support.elections.checks import check_consistency
from tests.apps.support.elections.world import World, ballot, dump_items, open_store, read_events


def _voted(world: World) -> list[str]:
    """Some have voted; the table as it is then."""
    ada, bob = world.register("Ada", "Bob")
    world.launch(ada, "E")
    world.service.voting.cast(bob, "E", ballot("Red"), "1")
    return dump_items(world.driver)


def _cut(world: World, operations: int) -> None:
    cut = PowerCutDriver(world.driver)
    cut.cut_after(operations)
    with pytest.raises(PowerCut):
        rebuild(open_store(cut), builder="Anna", clock=world.clock)


def test_a_second_builder_is_told_who_builds_and_until_when(world: World) -> None:
    whole = _voted(world)
    world.clock.frozen = True
    seen: list[int] = []

    def meanwhile(done: int, _: int) -> None:
        seen.append(done)
        until = f"{world.clock.now + LEASE_DURATION:%Y-%m-%d %H:%M:%S} UTC"
        with pytest.raises(RebuildInProgress, match=rf"by Anna, \w+, which holds it until {until}"):
            rebuild(open_store(world.driver), builder="Ben", clock=world.clock)

    rebuild(open_store(world.driver), meanwhile, builder="Anna", clock=world.clock)
    assert seen
    assert dump_items(world.driver) == whole
    rebuild(open_store(world.driver), builder="Ben", clock=world.clock)
    assert dump_items(world.driver) == whole


def test_whoever_goes_on_for_long_holds_it_for_long(memory: World) -> None:
    whole = _voted(memory)
    refused: list[int] = []

    def meanwhile(done: int, _: int) -> None:
        memory.clock.advance(seconds=LEASE_DURATION.total_seconds() * 0.9)
        with pytest.raises(RebuildInProgress, match="by Anna"):
            rebuild(open_store(memory.driver), clock=memory.clock)
        refused.append(done)

    rebuild(open_store(memory.driver), meanwhile, builder="Anna", clock=memory.clock)
    assert len(refused) > 3
    assert dump_items(memory.driver) == whole


@pytest.mark.parametrize("operations", [4, 6, 12, 16])
def test_the_lease_of_who_was_killed_runs_out(memory: World, operations: int) -> None:
    whole = _voted(memory)
    _cut(memory, operations)
    (sync,) = open_store(memory.driver).admin.scan(Sync)
    assert sync.builder_until is not None
    memory.clock.now = sync.builder_until - timedelta(seconds=1)
    with pytest.raises(RebuildInProgress, match="if it was killed, ask again after that time"):
        rebuild(open_store(memory.driver), clock=memory.clock)
    memory.clock.now = sync.builder_until + timedelta(seconds=1)
    rebuild(open_store(memory.driver), clock=memory.clock)
    assert dump_items(memory.driver) == whole


def test_who_was_held_up_and_replaced_stops_and_breaks_nothing(memory: World) -> None:
    whole = _voted(memory)
    happened: list[int] = []

    def held_up(done: int, _: int) -> None:
        if not happened:
            happened.append(done)
            memory.clock.advance(minutes=2)
            rebuild(open_store(memory.driver), builder="Ben", clock=memory.clock)
            memory.clock.advance(minutes=2)

    with pytest.raises(RebuildInProgress, match="Another has built the table anew meanwhile"):
        rebuild(open_store(memory.driver), held_up, builder="Anna", clock=memory.clock)
    assert dump_items(memory.driver) == whole
    check_consistency(memory)


def test_who_fails_lets_go_at_once(memory: World) -> None:
    whole = _voted(memory)
    store = open_store(memory.driver)
    third = read_events(memory.driver)[2]
    store.delete(Event.key(3))
    for _ in range(2):
        with pytest.raises(CorruptLog):
            rebuild(store, clock=memory.clock)
    store.create(third)
    rebuild(store, clock=memory.clock)
    assert dump_items(memory.driver) == whole
