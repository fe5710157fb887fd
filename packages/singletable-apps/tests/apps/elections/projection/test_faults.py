"""On a driver that fails as DynamoDB does, nothing is lost and nothing happens twice."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from dynamodb_engine.faults import Faults, Next
from singletable_apps.elections.entities import votes
from singletable_apps.elections.events import event_log
from singletable_apps.elections.rebuild import rebuild
from tests.apps.support.elections.backends import BACKENDS, TYPICAL_EVENTS, Backends, backend_cases
from tests.apps.support.elections.checks import check_consistency
from tests.apps.support.elections.scenario import COMMANDS
from tests.apps.support.elections.world import KEYS, dump_items, open_store, read_events
from tools.testing.exchangeable import Exchangeable

pytestmark = pytest.mark.usefixtures("no_waits")


@pytest.fixture(scope="module")
def places(
    tmp_path_factory: pytest.TempPathFactory, far_end: tuple[Exchangeable, str]
) -> Iterator[Backends]:
    """Create a database in each place, to be copied for every test."""
    with Backends(tmp_path_factory.mktemp("faults"), far_end, elections=2) as places:
        yield places


FAULTS = {
    "throttled": Faults(throttle=Next(2)),
    "unavailable": Faults(unavailable=Next(2)),
    "errors before the write": Faults(internal=Next(2)),
    "first response lost": Faults(internal_after=Next(1)),
    "several responses lost": Faults(internal_after=Next(3)),
    "conflicts": Faults(conflict=Next(2)),
    "response lost, then a conflict": Faults(internal_after=Next(1), conflict=Next(2)),
    "transaction in progress": Faults(in_progress=Next(2)),
    "all at once": Faults(
        throttle=0.2, internal=0.2, internal_after=0.2, conflict=0.1, unprocessed=0.5, seed=4
    ),
}
EVENTS = {"CandidatesRemoved": 2}


FEW = ("throttled", "response lost, then a conflict", "all at once")


@pytest.mark.rest
@pytest.mark.parametrize(("where", "faults"), backend_cases(FAULTS, FEW))
def test_command_is_logged_once_despite_faults(places: Backends, where: str, faults: str) -> None:
    for event in (
        event for place, event in backend_cases(COMMANDS, TYPICAL_EVENTS) if place == where
    ):
        with places[where].faulty_copy() as (there, driver):
            length = there.world.event_count
            driver.faults = replace(FAULTS[faults], tables=(votes.name, event_log.name))
            COMMANDS[event](there.world.service, there)
            assert driver.injected
            driver.faults = Faults()
            appended = [entry.event_type for entry in read_events(there.engine)[length:]]
            assert len(appended) == EVENTS.get(event, 1), f"{event}: {appended}"
            assert appended[0] == event
            check_consistency(there.world)


@pytest.mark.rest
@pytest.mark.parametrize("where", BACKENDS)
def test_rebuild_despite_faults_gives_the_same_table(places: Backends, where: str) -> None:
    with places[where].faulty_copy() as (there, driver):
        before = dump_items(there.engine)
        for seed in range(3):
            driver.faults = Faults(
                throttle=0.05, internal_after=0.2, conflict=0.1, unprocessed=0.5, seed=seed
            )
            rebuild(open_store(there.world.driver), KEYS.ballot_key)
            assert dump_items(there.engine) == before
        assert driver.injected["unprocessed"]
