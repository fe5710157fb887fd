"""Whoever dies in the middle of a command leaves a log and a table that others go on with."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import get_args

import pytest

from singletable import Driver, PutItem
from singletable_apps.elections.entities import votes
from singletable_apps.elections.errors import Rebuilding
from singletable_apps.elections.events import EventData, event_log
from singletable_apps.elections.projection import catch_up, rebuild
from singletable_apps.elections.projection.projector import HANDLERS
from tests.apps.elections.rig.busy import COMMANDS, Busy
from tests.apps.elections.rig.drivers import PowerCut
from tests.apps.elections.rig.places import EVERY_CASE, KINDS, PLACES, Places, cases
from tests.apps.elections.rig.world import World, dump, events_of, items_of, store_on
from tests.conformance.endpoint import Exchangeable


@pytest.fixture(scope="module")
def small_chunks() -> Iterator[None]:
    """Chunks of two, so that a few items are several of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("singletable_apps.elections.projection.chunks.ITEMS_PER_STEP", 2)
        yield


@pytest.fixture(scope="module")
def places(
    small_chunks: None,
    tmp_path_factory: pytest.TempPathFactory,
    far_end: tuple[Exchangeable, str],
) -> Iterator[Places]:
    """A world in each place, that is copied for every cut."""
    with Places(tmp_path_factory.mktemp("cuts"), far_end, elections=3) as places:
        yield places


def test_every_fact_has_an_effect_and_a_command_here() -> None:
    facts = set(get_args(EventData))
    assert set(HANDLERS) == facts
    assert set(COMMANDS) == {fact.__name__ for fact in facts}


@pytest.mark.parametrize(("where", "fact"), cases(COMMANDS, KINDS))
def test_a_command_that_is_cut_anywhere_is_whole_or_never_was(
    places: Places, where: str, fact: str
) -> None:
    place = places[where]
    before = dump(place.base.engine)
    length = place.base.world.length
    outcomes: set[bool] = set()
    expected: dict[str, list[str]] = {}
    for operations in count():
        with place.cut() as (there, cut):
            cut.after(operations)
            try:
                COMMANDS[fact](there.world.service, there)
            except PowerCut:
                pass
            else:
                assert fact in (events_of(there.engine)[-1].event_type, "CandidatesRemoved")
                break
            with place.left_by(there) as driver:
                appended = events_of(driver)[length:]
                outcomes.add(bool(appended))
                assert len(appended) in (0, _facts_of(fact))
                catch_up(store_on(driver))
                if appended and appended[-1].hash not in expected:
                    expected[appended[-1].hash] = _without_a_cut(place.base, driver)
                assert dump(driver) == (expected[appended[-1].hash] if appended else before)
    assert outcomes == {False, True}, "it was cut before the event was in the log, and after"


@pytest.mark.parametrize("where", PLACES)
def test_a_table_that_is_cut_while_it_is_built_anew_is_built_by_the_next(
    places: Places, where: str
) -> None:
    place = places[where]
    whole = dump(place.base.engine)
    stride = 7 if EVERY_CASE or where == "memory" else 30
    with place.cut() as (there, cut):
        other = there.world.open(there.engine)
        store = store_on(cut)
        operations, told, unbuilt = 0, 0, True
        while unbuilt:
            cut.after(operations)
            # Whoever dies holds the table until their lease has run out.
            there.world.clock.move(minutes=2)
            try:
                rebuild(store, clock=there.world.clock)
                unbuilt = False
            except PowerCut:
                if dump(there.engine) != whole:
                    told += 1
                    with pytest.raises(Rebuilding, match="ask again"):
                        other.people.rename(there.bob, "Bob", "Robert")
                    with pytest.raises(Rebuilding):
                        World(there.engine).service.people.rename(there.bob, "Bob", "Robert")
            # Near its beginning at every operation, then here and there.
            operations += 1 if operations < 12 else stride
        assert told > 10
        assert dump(there.engine) == whole
        assert other.people.rename(there.bob, "Bob", "Robert").name == "Robert"


def _facts_of(fact: str) -> int:
    return 2 if fact == "CandidatesRemoved" else 1


def _without_a_cut(base: Busy, left: Driver) -> list[str]:
    """The table as it would be if the same events had been applied in peace."""
    with base.engine.copy() as engine:
        for item in items_of(left, event_log):
            engine.execute(PutItem(event_log.name, item))
        catch_up(store_on(engine))
        return dump(engine, votes)
