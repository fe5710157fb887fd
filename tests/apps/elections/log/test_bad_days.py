"""On a driver that fails as DynamoDB does nothing is lost, and nothing is doubled."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest
from msgspec.structs import replace

from singletable.faults import Faults, Next
from singletable_apps.elections.entities import votes
from singletable_apps.elections.errors import TableBroken
from singletable_apps.elections.events import event_log
from singletable_apps.elections.projection import rebuild
from tests.apps.elections.rig.busy import COMMANDS
from tests.apps.elections.rig.counting import check_sound
from tests.apps.elections.rig.places import KINDS, PLACES, Places, cases
from tests.apps.elections.rig.world import World, dump, events_of, store_on
from tests.conformance.endpoint import Exchangeable


@pytest.fixture(autouse=True)
def no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody needs to wait for real."""
    waits: list[float] = []
    monkeypatch.setattr("time.sleep", waits.append)


@pytest.fixture(scope="module")
def places(
    tmp_path_factory: pytest.TempPathFactory, far_end: tuple[Exchangeable, str]
) -> Iterator[Places]:
    """A world in each place, that is copied for every bad day."""
    with Places(tmp_path_factory.mktemp("bad days"), far_end, elections=2) as places:
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
    for where, (fact, behind) in cases(product(CASCADES, (1, 8, 60)), [("UserRemoved", 8)])
]


@pytest.mark.parametrize(("where", "day"), cases(ONCE, FEW))
def test_each_command_is_in_the_log_once(places: Places, where: str, day: str) -> None:
    for fact in (fact for place, fact in cases(COMMANDS, KINDS) if place == where):
        with places[where].faulty() as (there, driver):
            length = there.world.length
            driver.faults = replace(ONCE[day], tables=(votes.name, event_log.name))
            COMMANDS[fact](there.world.service, there)
            assert driver.injected
            driver.faults = Faults()
            appended = [event.event_type for event in events_of(there.engine)[length:]]
            assert len(appended) == EVENTS.get(fact, 1), f"{fact}: {appended}"
            assert appended[0] == fact
            check_sound(there.world)


@pytest.mark.parametrize("where", PLACES)
def test_the_table_is_built_anew_on_a_bad_day(places: Places, where: str) -> None:
    with places[where].faulty() as (there, driver):
        whole = dump(there.engine)
        for seed in range(3):
            driver.faults = Faults(
                throttle=0.05, internal_after=0.2, conflict=0.1, unprocessed=0.5, seed=seed
            )
            rebuild(store_on(there.world.driver))
            assert dump(there.engine) == whole
        assert driver.injected["unprocessed"]


@pytest.mark.parametrize(("where", "fact", "behind"), LAGGING)
def test_an_index_that_lags_hides_nothing_from_what_follows_it(
    places: Places, where: str, fact: str, behind: int
) -> None:
    with places[where].faulty() as (there, driver):
        service = there.world.service
        driver.faults = Faults(stale=0.8, behind=behind, seed=behind)
        COMMANDS["UserNameChanged"](service, there)
        service.people.rename(there.bob, "Robert", "Bob")
        COMMANDS[fact](service, there)
        assert driver.injected["stale"]
        driver.faults = Faults()
        check_sound(there.world)
        kept = dump(there.engine)
        rebuild(store_on(there.engine))
        assert dump(there.engine) == kept


@pytest.mark.parametrize("where", PLACES)
def test_an_index_that_never_shows_what_is_there_is_told(places: Places, where: str) -> None:
    with places[where].faulty() as (there, driver):
        driver.faults = Faults(stale=1, behind=10_000)
        with pytest.raises(TableBroken, match="index lacks items"):
            COMMANDS["UserNameChanged"](there.world.service, there)
        driver.faults = Faults()
        # It is in the log, and whoever comes next goes on with it.
        with places[where].left_by(there) as left:
            assert World(left).service.context.read.get_user("Robert").user_id == there.bob.user_id
            check_sound(World(left))
