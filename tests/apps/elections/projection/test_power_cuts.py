"""Whoever dies in the middle of a command leaves a log and a table that others go on with."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import get_args

import pytest

from singletable import Driver, PutItem
from singletable_apps.elections.entities import votes
from singletable_apps.elections.errors import RebuildInProgress
from singletable_apps.elections.events import EventData, event_log
from singletable_apps.elections.projection import catch_up, rebuild
from singletable_apps.elections.projection.projector import HANDLERS
from tests.apps.support.drivers import PowerCut
from tests.apps.support.elections.backends import (
    ALL_CASES,
    BACKENDS,
    TYPICAL_EVENTS,
    Backends,
    backend_cases,
)
from tests.apps.support.elections.scenario import COMMANDS, Scenario
from tests.apps.support.elections.world import (
    World,
    dump_items,
    open_store,
    read_events,
    read_items,
)
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
) -> Iterator[Backends]:
    """A world in each place, that is copied for every cut."""
    with Backends(tmp_path_factory.mktemp("cuts"), far_end, elections=3) as places:
        yield places


def test_every_fact_has_an_effect_and_a_command_here() -> None:
    facts = set(get_args(EventData))
    assert set(HANDLERS) == facts
    assert set(COMMANDS) == {fact.__name__ for fact in facts}


@pytest.mark.parametrize(("where", "fact"), backend_cases(COMMANDS, TYPICAL_EVENTS))
def test_a_command_that_is_cut_anywhere_is_whole_or_never_was(
    places: Backends, where: str, fact: str
) -> None:
    place = places[where]
    before = dump_items(place.base.engine)
    length = place.base.world.event_count
    outcomes: set[bool] = set()
    expected: dict[str, list[str]] = {}
    for operations in count():
        with place.power_cut_copy() as (there, cut):
            cut.cut_after(operations)
            try:
                COMMANDS[fact](there.world.service, there)
            except PowerCut:
                pass
            else:
                assert fact in (read_events(there.engine)[-1].event_type, "CandidatesRemoved")
                break
            with place.reopen(there) as driver:
                appended = read_events(driver)[length:]
                outcomes.add(bool(appended))
                assert len(appended) in (0, _facts_of(fact))
                catch_up(open_store(driver))
                if appended and appended[-1].hash not in expected:
                    expected[appended[-1].hash] = _without_a_cut(place.base, driver)
                assert dump_items(driver) == (expected[appended[-1].hash] if appended else before)
    assert outcomes == {False, True}, "it was cut before the event was in the log, and after"


@pytest.mark.parametrize("where", BACKENDS)
def test_a_table_that_is_cut_while_it_is_built_anew_is_built_by_the_next(
    places: Backends, where: str
) -> None:
    place = places[where]
    whole = dump_items(place.base.engine)
    stride = 7 if ALL_CASES or where == "memory" else 30
    with place.power_cut_copy() as (there, cut):
        other = there.world.open_service(there.engine)
        store = open_store(cut)
        operations, told, unbuilt = 0, 0, True
        while unbuilt:
            cut.cut_after(operations)
            # Whoever dies holds the table until their lease has run out.
            there.world.clock.advance(minutes=2)
            try:
                rebuild(store, clock=there.world.clock)
                unbuilt = False
            except PowerCut:
                if dump_items(there.engine) != whole:
                    told += 1
                    with pytest.raises(RebuildInProgress, match="ask again"):
                        other.people.rename(there.bob, "Bob", "Robert")
                    with pytest.raises(RebuildInProgress):
                        World(there.engine).service.people.rename(there.bob, "Bob", "Robert")
            # Near its beginning at every operation, then here and there.
            operations += 1 if operations < 12 else stride
        assert told > 10
        assert dump_items(there.engine) == whole
        assert other.people.rename(there.bob, "Bob", "Robert").name == "Robert"


def _facts_of(fact: str) -> int:
    return 2 if fact == "CandidatesRemoved" else 1


def _without_a_cut(base: Scenario, left: Driver) -> list[str]:
    """The table as it would be if the same events had been applied in peace."""
    with base.engine.copy() as engine:
        for item in read_items(left, event_log):
            engine.execute(PutItem(event_log.name, item))
        catch_up(open_store(engine))
        return dump_items(engine, votes)
