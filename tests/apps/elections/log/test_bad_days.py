"""On a driver that fails as DynamoDB does nothing is lost, and nothing is doubled."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest
from msgspec.structs import replace

from singletable.faults import Faults, Next
from singletable_apps.elections.entities import votes
from singletable_apps.elections.errors import CorruptTable
from singletable_apps.elections.events import event_log
from singletable_apps.elections.projection import rebuild
from tests.apps.support.elections.backends import BACKENDS, TYPICAL_EVENTS, Backends, backend_cases
from tests.apps.support.elections.checks import check_consistency
from tests.apps.support.elections.scenario import COMMANDS
from tests.apps.support.elections.world import World, dump_items, open_store, read_events
from tests.conformance.endpoint import Exchangeable


@pytest.fixture(autouse=True)
def no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody needs to wait for real."""
    waits: list[float] = []
    monkeypatch.setattr("time.sleep", waits.append)


@pytest.fixture(scope="module")
def places(
    tmp_path_factory: pytest.TempPathFactory, far_end: tuple[Exchangeable, str]
) -> Iterator[Backends]:
    """A world in each place, that is copied for every bad day."""
    with Backends(tmp_path_factory.mktemp("bad days"), far_end, elections=2) as places:
        yield places


ONCE = {
    "throttled": Faults(throttle=Next(2)),
    "unavailable": Faults(unavailable=Next(2)),
    "an error before": Faults(internal=Next(2)),
    "the first answer lost": Faults(internal_after=Next(1)),
    "several answers lost": Faults(internal_after=Next(3)),
    "in conflict": Faults(conflict=Next(2)),
    "a lost answer, then a conflict": Faults(internal_after=Next(1), conflict=Next(2)),
    "in progress": Faults(in_progress=Next(2)),
    "all at once": Faults(
        throttle=0.1, internal=0.1, internal_after=0.2, conflict=0.1, unprocessed=0.5, seed=3
    ),
}
EVENTS = {"CandidatesRemoved": 2}


FEW = ("throttled", "a lost answer, then a conflict", "all at once")
CASCADES = ("UserNameChanged", "UserRemoved", "ElectionNameChanged", "ElectionDeleted")
LAGGING = [
    (where, fact, behind)
    for where, (fact, behind) in backend_cases(product(CASCADES, (1, 8, 60)), [("UserRemoved", 8)])
]


@pytest.mark.parametrize(("where", "day"), backend_cases(ONCE, FEW))
def test_each_command_is_in_the_log_once(places: Backends, where: str, day: str) -> None:
    for fact in (fact for place, fact in backend_cases(COMMANDS, TYPICAL_EVENTS) if place == where):
        with places[where].faulty_copy() as (there, driver):
            length = there.world.event_count
            driver.faults = replace(ONCE[day], tables=(votes.name, event_log.name))
            COMMANDS[fact](there.world.service, there)
            assert driver.injected
            driver.faults = Faults()
            appended = [event.event_type for event in read_events(there.engine)[length:]]
            assert len(appended) == EVENTS.get(fact, 1), f"{fact}: {appended}"
            assert appended[0] == fact
            check_consistency(there.world)


@pytest.mark.parametrize("where", BACKENDS)
def test_the_table_is_built_anew_on_a_bad_day(places: Backends, where: str) -> None:
    with places[where].faulty_copy() as (there, driver):
        whole = dump_items(there.engine)
        for seed in range(3):
            driver.faults = Faults(
                throttle=0.05, internal_after=0.2, conflict=0.1, unprocessed=0.5, seed=seed
            )
            rebuild(open_store(there.world.driver))
            assert dump_items(there.engine) == whole
        assert driver.injected["unprocessed"]


@pytest.mark.parametrize(("where", "fact", "behind"), LAGGING)
def test_an_index_that_lags_hides_nothing_from_what_follows_it(
    places: Backends, where: str, fact: str, behind: int
) -> None:
    with places[where].faulty_copy() as (there, driver):
        service = there.world.service
        driver.faults = Faults(stale=0.8, behind=behind, seed=behind)
        COMMANDS["UserNameChanged"](service, there)
        service.people.rename(there.bob, "Robert", "Bob")
        COMMANDS[fact](service, there)
        assert driver.injected["stale"]
        driver.faults = Faults()
        check_consistency(there.world)
        kept = dump_items(there.engine)
        rebuild(open_store(there.engine))
        assert dump_items(there.engine) == kept


@pytest.mark.parametrize("where", BACKENDS)
def test_an_index_that_never_shows_what_is_there_is_told(places: Backends, where: str) -> None:
    with places[where].faulty_copy() as (there, driver):
        driver.faults = Faults(stale=1, behind=10_000)
        with pytest.raises(CorruptTable, match="index lacks items"):
            COMMANDS["UserNameChanged"](there.world.service, there)
        driver.faults = Faults()
        # It is in the log, and whoever comes next goes on with it.
        with places[where].reopen(there) as left:
            assert World(left).service.context.read.get_user("Robert").user_id == there.bob.user_id
            check_consistency(World(left))
