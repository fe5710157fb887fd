"""Only one process can rebuild the table, and its lease expires when it crashes."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from dynamodb_engine.testing import Crash, InterruptedDriver
from singletable import Engine
from singletable_apps.elections import log_state, poll_book
from singletable_apps.elections.entities import Sync, votes
from singletable_apps.elections.errors import CorruptLog, CorruptTable, RebuildInProgress
from singletable_apps.elections.events import Event
from singletable_apps.elections.poll_book import PollBook
from singletable_apps.elections.projection import catch_up
from singletable_apps.elections.rebuild import LEASE_DURATION, rebuild
from tests.apps.support.elections.checks import check_consistency
from tests.apps.support.elections.random_walk import RandomWalk
from tests.apps.support.elections.world import (
    KEYS,
    World,
    ballot,
    dump_items,
    open_store,
    read_events,
)

KEY = KEYS.ballot_key


def _fill(world: World) -> list[str]:
    """Create an election with a ballot, and return the table."""
    ada, bob = world.register("Ada", "Bob")
    world.launch(ada, "E")
    world.service.voting.cast(bob, "E", ballot("Red"), "1")
    return dump_items(world.driver)


def _crash(world: World, operations: int) -> None:
    cut = InterruptedDriver(world.driver)
    cut.crash_after(operations)
    with pytest.raises(Crash):
        rebuild(open_store(cut), KEY, builder="Anna", clock=world.clock)


def test_second_rebuild_is_refused_with_holder_and_end_of_lease(world: World) -> None:
    before = _fill(world)
    world.clock.tick = timedelta()
    seen: list[int] = []

    def start_second(done: int, _: int) -> None:
        seen.append(done)
        until = f"{world.clock.now + LEASE_DURATION:%Y-%m-%d %H:%M:%S} UTC"
        with pytest.raises(RebuildInProgress, match=rf"by Anna, \w+, .* until {until}"):
            rebuild(open_store(world.driver), KEY, builder="Ben", clock=world.clock)

    rebuild(open_store(world.driver), KEY, start_second, builder="Anna", clock=world.clock)
    assert seen
    assert dump_items(world.driver) == before
    rebuild(open_store(world.driver), KEY, builder="Ben", clock=world.clock)
    assert dump_items(world.driver) == before


def test_long_rebuild_renews_its_lease(memory: World) -> None:
    before = _fill(memory)
    refused: list[int] = []

    def start_second(done: int, _: int) -> None:
        memory.clock.advance(seconds=LEASE_DURATION.total_seconds() * 0.9)
        with pytest.raises(RebuildInProgress, match="by Anna"):
            rebuild(open_store(memory.driver), KEY, clock=memory.clock)
        refused.append(done)

    rebuild(open_store(memory.driver), KEY, start_second, builder="Anna", clock=memory.clock)
    assert len(refused) > 3
    assert dump_items(memory.driver) == before


@pytest.mark.parametrize("operations", [4, 6, 12, 16])
def test_lease_of_a_crashed_rebuild_expires(memory: World, operations: int) -> None:
    before = _fill(memory)
    _crash(memory, operations)
    (sync,) = open_store(memory.driver).admin.scan(Sync)
    assert sync.builder_until is not None
    memory.clock.now = sync.builder_until - timedelta(seconds=1)
    with pytest.raises(RebuildInProgress, match="if it has crashed"):
        rebuild(open_store(memory.driver), KEY, clock=memory.clock)
    memory.clock.now = sync.builder_until + timedelta(seconds=1)
    rebuild(open_store(memory.driver), KEY, clock=memory.clock)
    assert dump_items(memory.driver) == before


def test_paused_rebuild_stops_after_another_has_replaced_it(memory: World) -> None:
    before = _fill(memory)
    happened: list[int] = []

    def pause(done: int, _: int) -> None:
        if not happened:
            happened.append(done)
            memory.clock.advance(minutes=2)
            rebuild(open_store(memory.driver), KEY, builder="Ben", clock=memory.clock)
            memory.clock.advance(minutes=2)

    with pytest.raises(RebuildInProgress, match="was stopped"):
        rebuild(open_store(memory.driver), KEY, pause, builder="Anna", clock=memory.clock)
    assert dump_items(memory.driver) == before
    check_consistency(memory)


def test_failed_rebuild_releases_its_lease(memory: World) -> None:
    before = _fill(memory)
    store = open_store(memory.driver)
    third = read_events(memory.driver)[2]
    store.delete(Event.key(3))
    for _ in range(2):
        with pytest.raises(CorruptLog):
            rebuild(store, KEY, clock=memory.clock)
    store.create(third)
    rebuild(store, KEY, clock=memory.clock)
    assert dump_items(memory.driver) == before


# Without the position, each attempt to apply events looked as if another process had been first.
def test_table_without_its_position_is_reported_and_rebuilt(memory: World) -> None:
    before = _fill(memory)
    open_store(memory.driver).delete(Sync.key())
    with pytest.raises(CorruptTable, match="rebuild"):
        memory.register("Zoe")
    rebuild(open_store(memory.driver), KEY, clock=memory.clock)
    assert dump_items(memory.driver) == before
    check_consistency(memory)


def test_table_follows_a_poll_book_that_is_ahead(memory: World) -> None:
    before, store = _fill(memory), open_store(memory.driver)
    book = PollBook(store, KEY)
    book.refresh()
    store.admin.clear(votes)
    catch_up(store, book)
    assert dump_items(memory.driver) == before


# What an event writes depends on the events before it, so others are read again from the log.
def test_table_that_lacks_more_events_than_are_kept_is_brought_up_to_date(
    memory: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, store = _fill(memory), open_store(memory.driver)
    for module in (log_state, poll_book):
        monkeypatch.setattr(module, "RECENT_EVENTS", 2)
    book = PollBook(store, KEY)
    book.refresh()
    last = book.position
    assert [book_has(book, number) for number in (last - 2, last - 1, last)] == [False, True, True]
    assert [event.event_id for event, _ in book.unapplied(0, last)] == [*range(1, last + 1)]
    store.admin.clear(votes)
    catch_up(store, book)
    assert dump_items(memory.driver) == before


def book_has(book: PollBook, event_id: int) -> bool:
    """Return whether the book has kept an event with its writes."""
    with book._log as state:
        return state.find_recent(event_id) is not None


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
