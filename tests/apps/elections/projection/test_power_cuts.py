"""Whoever dies in the middle of a command leaves a log and a table that others go on with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

import pytest

from singletable import Engine, PutItem
from singletable_apps.elections.entities import votes
from singletable_apps.elections.errors import Rebuilding
from singletable_apps.elections.facts import Fact
from singletable_apps.elections.log import log
from singletable_apps.elections.projection import follow, rebuild
from singletable_apps.elections.projection.applying import EFFECTS
from tests.apps.elections.rig.busy import COMMANDS, Busy, busy, copy_of
from tests.apps.elections.rig.drivers import Cut, PowerCut
from tests.apps.elections.rig.world import World, dump, events_of, items_of, store_on


@pytest.fixture(scope="module")
def small_chunks() -> Iterator[None]:
    """Chunks of two, so that a few items are several of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("singletable_apps.elections.projection.chunk.SIZE", 2)
        yield


@pytest.fixture(scope="module")
def base(small_chunks: None) -> Busy:
    """A world that is copied for every cut."""
    return busy(Engine.in_memory(), elections=3)


def test_every_fact_has_an_effect_and_a_command_here() -> None:
    facts = set(get_args(Fact))
    assert set(EFFECTS) == facts
    assert set(COMMANDS) == {fact.__name__ for fact in facts}


@pytest.mark.parametrize("fact", COMMANDS)
def test_a_command_that_is_cut_anywhere_is_whole_or_never_was(base: Busy, fact: str) -> None:
    before = dump(base.engine)
    length = base.world.length
    outcomes: set[bool] = set()
    expected: dict[str, list[str]] = {}
    operations = 0
    while True:
        there = copy_of(base, Cut)
        assert isinstance(there.world.driver, Cut)
        there.world.driver.after(operations)
        try:
            COMMANDS[fact](there.world.service, there)
        except PowerCut:
            pass
        else:
            break
        appended = events_of(there.engine)[length:]
        outcomes.add(bool(appended))
        assert len(appended) in (0, _facts_of(fact))
        follow(store_on(there.engine))
        if appended:
            last = appended[-1].hash
            if last not in expected:
                expected[last] = _without_a_cut(base, there)
            assert dump(there.engine) == expected[last]
        else:
            assert dump(there.engine) == before
        operations += 1
    assert outcomes == {False, True}, "it was cut before the event was in the log, and after"
    assert events_of(there.engine)[-1].event_type == fact or fact == "CandidatesRemoved"


def test_a_table_that_is_cut_while_it_is_built_anew_is_built_by_the_next(base: Busy) -> None:
    whole = dump(base.engine)
    there = copy_of(base)
    other = there.world.service
    operations, told, unbuilt = 0, 0, True
    while unbuilt:
        cut = Cut(there.engine)
        store = store_on(cut)
        cut.after(operations)
        try:
            rebuild(store)
            unbuilt = False
        except PowerCut:
            if dump(there.engine) != whole:
                told += 1
                with pytest.raises(Rebuilding, match="ask again"):
                    other.people.rename(there.bob, "Bob", "Robert")
                with pytest.raises(Rebuilding):
                    World(there.engine).service.people.rename(there.bob, "Bob", "Robert")
        # Near its beginning at every operation, then here and there.
        operations += 1 if operations < 12 else 7
    assert told > 10
    assert dump(there.engine) == whole
    assert other.people.rename(there.bob, "Bob", "Robert").name == "Robert"


def _facts_of(fact: str) -> int:
    return 2 if fact == "CandidatesRemoved" else 1


def _without_a_cut(base: Busy, there: Busy) -> list[str]:
    """The table as it would be if the same events had been applied in peace."""
    engine = base.engine.copy()
    for item in items_of(there.engine, log):
        engine.execute(PutItem(log.name, item))
    follow(store_on(engine))
    return dump(engine, votes)
