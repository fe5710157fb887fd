"""After a crash in the middle of a command, other processes continue with log and table."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest

from dynamodb_engine.testing import Crash
from singletable import Driver, PutItem
from singletable_apps.elections.entities import votes
from singletable_apps.elections.errors import RebuildInProgress
from singletable_apps.elections.events import KINDS, event_log
from singletable_apps.elections.rebuild import rebuild
from tests.apps.support.elections.backends import (
    ALL_CASES,
    BACKENDS,
    TYPICAL_EVENTS,
    Backends,
    backend_cases,
)
from tests.apps.support.elections.scenario import COMMANDS, Scenario
from tests.apps.support.elections.world import (
    KEYS,
    World,
    dump_items,
    follow_log,
    open_store,
    read_events,
    read_items,
)
from tools.testing.exchangeable import Exchangeable


@pytest.fixture(scope="module")
def small_steps() -> Iterator[None]:
    """Apply two items per step, so that a few items take several steps."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("singletable_apps.elections.projection.ITEMS_PER_STEP", 2)
        yield


@pytest.fixture(scope="module")
def places(
    small_steps: None, tmp_path_factory: pytest.TempPathFactory, far_end: tuple[Exchangeable, str]
) -> Iterator[Backends]:
    """Create a database in each place, to be copied for every crash."""
    with Backends(tmp_path_factory.mktemp("cuts"), far_end, elections=3) as places:
        yield places


def test_every_event_has_a_command_here() -> None:
    assert set(COMMANDS) == set(KINDS)


@pytest.mark.parametrize(("where", "event"), backend_cases(COMMANDS, TYPICAL_EVENTS))
def test_command_that_crashes_anywhere_is_complete_or_has_no_effect(
    places: Backends, where: str, event: str
) -> None:
    place = places[where]
    before = dump_items(place.base.engine)
    length = place.base.world.event_count
    outcomes: set[bool] = set()
    expected: dict[str, list[str]] = {}
    for operations in count():
        with place.power_cut_copy() as (there, cut):
            cut.crash_after(operations)
            try:
                COMMANDS[event](there.world.service, there)
            except Crash:
                pass
            else:
                assert event in (read_events(there.engine)[-1].event_type, "CandidatesRemoved")
                break
            with place.reopen(there) as driver:
                appended = read_events(driver)[length:]
                outcomes.add(bool(appended))
                assert len(appended) in (0, _count_events(event))
                follow_log(driver)
                if appended and appended[-1].hash not in expected:
                    expected[appended[-1].hash] = _without_crash(place.base, driver)
                assert dump_items(driver) == (expected[appended[-1].hash] if appended else before)
    assert outcomes == {False, True}, "it crashed both before and after the event was in the log"


@pytest.mark.parametrize("where", BACKENDS)
def test_crashed_rebuild_is_completed_by_the_next(places: Backends, where: str) -> None:
    place = places[where]
    before = dump_items(place.base.engine)
    stride = 7 if ALL_CASES or where == "memory" else 30
    with place.power_cut_copy() as (there, cut):
        other = there.world.open(there.engine)
        store = open_store(cut)
        operations, refusals, is_built = 0, 0, False
        while not is_built:
            cut.crash_after(operations)
            # A crashed process has the lease until it expires.
            there.world.clock.advance(minutes=2)
            try:
                rebuild(store, KEYS.ballot_key, clock=there.world.clock)
                is_built = True
            except Crash:
                if dump_items(there.engine) != before:
                    refusals += 1
                    with pytest.raises(RebuildInProgress, match="try again"):
                        other.people.rename(there.bob, "Bob", "Robert")
                    with pytest.raises(RebuildInProgress):
                        World(there.engine).service.people.rename(there.bob, "Bob", "Robert")
            # Crash at every operation near the start, then at some.
            operations += 1 if operations < 12 else stride
        assert refusals > 5
        assert dump_items(there.engine) == before
        assert other.people.rename(there.bob, "Bob", "Robert").name == "Robert"


def _count_events(event: str) -> int:
    return 2 if event == "CandidatesRemoved" else 1


def _without_crash(base: Scenario, left: Driver) -> list[str]:
    """Return the table that the same events give without a crash."""
    with base.engine.copy() as engine:
        for item in read_items(left, event_log):
            engine.execute(PutItem(event_log.name, item))
        follow_log(engine)
        return dump_items(engine, votes)
