"""Only one process can rebuild the table, and its lease expires when it crashes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import pytest

from dynamodb_engine.testing import Crash, InterruptedDriver
from singletable import Engine, Store
from singletable_apps.elections import poll_book
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


class ReadAlong:
    """A store whose readers call a function after each event of the log."""

    def __init__(self, store: Store, read: Callable[[], object]) -> None:
        self._store = store
        self._read = read

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def run(self, *pattern: Any) -> Iterator[object]:
        """Yield the items of a pattern."""
        for item in self._store.run(*pattern):
            self._read()
            yield item


# Pages are answered while the table is brought up to date: nobody may find the book half empty.
def test_reader_sees_the_whole_log_while_the_book_is_read_again(memory: World) -> None:
    _fill(memory)
    store = open_store(memory.driver)
    book = PollBook(store, KEY)
    book.refresh()
    election = book.records()[0].election

    def look() -> tuple[object, ...]:
        return (
            book.position,
            book.head,
            book.count_all(),
            book.user_id("Ada"),
            book.known(election.name) is not None,
        )

    before, seen = look(), set[tuple[object, ...]]()
    book._store = cast(Store, ReadAlong(store, lambda: seen.add(look())))
    written = [event.event_id for event, _ in book.unapplied(0, book.position)]
    assert written == [*range(1, book.position + 1)]
    assert (seen, look()) == ({before}, before)


# A reader may still hold it when the next event arrives.
def test_texts_of_emails_are_a_copy(memory: World) -> None:
    _fill(memory)
    book = memory.service.context.book
    election = book.records()[0].election
    book.emails(election)["invitation"] = "", ""
    assert "invitation" not in book.emails(election)


# A process that only reads must not collect what others have written.
def test_poll_book_forgets_what_is_in_the_table(
    memory: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(poll_book, "MAX_UNAPPLIED", 2)
    other = memory.open()
    _fill(memory)
    other.context.book.refresh()
    assert not other.context.book._unapplied
    other.lifecycle.lock(other.context.read.get_user("Ada"), "E")
    check_consistency(memory)


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
