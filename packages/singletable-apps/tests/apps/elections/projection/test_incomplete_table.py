"""Commands work while the table is incomplete, or say that it is being rebuilt."""

from __future__ import annotations

import pytest

from dynamodb_engine.operations import Operation
from dynamodb_engine.testing import Crash, InterruptedDriver
from singletable import Engine, GetItem, PutItem, Query, TransactWriteItems
from singletable_apps.elections import projection
from singletable_apps.elections.errors import RebuildInProgress
from singletable_apps.elections.rebuild import rebuild
from singletable_apps.shared.errors import NotFound
from tests.apps.support.elections.checks import check_consistency
from tests.apps.support.elections.scenario import Scenario, copy_scenario, make_scenario
from tests.apps.support.elections.world import (
    KEYS,
    PASSWORD,
    ballot,
    dump_items,
    follow_log,
    open_store,
)

WRITES = (PutItem, TransactWriteItems)


@pytest.fixture(scope="module")
def base() -> Scenario:
    """Bob and Carol are voters of three elections, and have voted."""
    return make_scenario(Engine.in_memory(), elections=3)


@pytest.fixture
def there(base: Scenario) -> Scenario:
    return copy_scenario(base)


def _begin_rebuild(there: Scenario) -> None:
    """Start a rebuild that crashes."""
    cut = InterruptedDriver(there.engine)
    cut.crash_after(8)
    with pytest.raises(Crash):
        rebuild(open_store(cut), KEYS.ballot_key, clock=there.world.clock)


def _complete_rebuild(there: Scenario) -> None:
    """Rebuild after the lease of the crashed process."""
    there.world.clock.advance(minutes=2)
    rebuild(open_store(there.engine), KEYS.ballot_key, clock=there.world.clock)


def _reads_position(operation: Operation[object]) -> bool:
    return isinstance(operation, GetItem) and "SYNC" in str(operation)


def _crash_while_renaming(there: Scenario, steps: int) -> None:
    """Rename Carol, and crash before all items that contain her name are renamed."""
    driver = InterruptedDriver(there.engine)
    driver.crash_after(steps, TransactWriteItems)
    service = there.world.open(driver)
    with pytest.raises(Crash):
        service.people.rename(there.owner, "Carol", "Caroline")


@pytest.mark.parametrize("steps", [1, 2])
def test_user_who_is_being_renamed_can_vote(
    there: Scenario, steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projection, "ITEMS_PER_STEP", 2)
    driver = InterruptedDriver(
        there.engine, _reads_position, before=lambda: _crash_while_renaming(there, steps), first=1
    )
    service = there.world.open(driver)
    assert not driver.interrupted
    cast = service.voting.cast(there.carol, "Election 0", ballot("Blue"), "new")
    assert driver.interrupted
    assert (cast.voter_name, cast.is_repeat) == ("Caroline", False)
    check_consistency(there.world)


def test_command_waits_for_the_end_of_a_rebuild(there: Scenario) -> None:
    driver = InterruptedDriver(
        there.engine, _reads_position, before=lambda: _begin_rebuild(there), first=1
    )
    service = there.world.open(driver)
    assert not driver.interrupted
    with pytest.raises(RebuildInProgress, match="Nothing is lost"):
        service.voting.cast(there.carol, "Election 0", ballot("Blue"), "new")
    assert driver.interrupted


def test_command_logged_during_a_rebuild_says_that_it_is_saved(there: Scenario) -> None:
    length = there.world.event_count
    driver = InterruptedDriver(there.engine, WRITES, before=lambda: _begin_rebuild(there))
    service = there.world.open(driver)
    with pytest.raises(RebuildInProgress, match=f"event {length + 1} "):
        service.lifecycle.create(there.bob, "New")
    assert there.world.event_count == length + 1
    _complete_rebuild(there)
    assert there.world.service.context.read.get_election("New").owner_name == "Bob"
    check_consistency(there.world)


def test_users_stay_signed_in_during_a_rebuild(there: Scenario) -> None:
    access = there.world.service.auth
    signed_in = access.sign_in("Bob", PASSWORD)
    _begin_rebuild(there)
    for ask in (
        lambda: access.authenticate(signed_in.access),
        lambda: access.renew(signed_in.refresh),
    ):
        with pytest.raises(RebuildInProgress):
            ask()
    _complete_rebuild(there)
    assert access.authenticate(signed_in.access).name == "Bob"
    assert access.renew(signed_in.refresh).user.name == "Bob"


def test_cast_succeeds_while_the_election_is_renamed(there: Scenario) -> None:
    other = there.world.open()
    # After the event is in the log.
    driver = InterruptedDriver(
        there.engine,
        WRITES,
        before=lambda: other.lifecycle.edit(there.bob, "Election 0", {"name": "Renamed"}),
        first=1,
    )
    service = there.world.open(driver)
    cast = service.voting.cast(there.carol, "Election 0", ballot("Blue"), "new")
    assert driver.interrupted
    now = other.voting.ballot(there.carol, "Renamed", "Carol")
    assert now.receipt["confirmation"] == cast.receipt["confirmation"]
    again = other.voting.cast(there.carol, "Renamed", ballot("Blue"), "new")
    assert again.is_repeat
    with pytest.raises(NotFound):
        other.voting.cast(there.carol, "Election 0", ballot("Blue"), "new")
    check_consistency(there.world)


def test_register_succeeds_while_the_user_is_renamed(there: Scenario) -> None:
    other = there.world.open()
    driver = InterruptedDriver(
        there.engine,
        WRITES,
        before=lambda: other.people.rename(there.owner, "Eve", "Evelyn"),
        first=1,
    )
    eve = there.world.open(driver).people.register("Eve", "eve@example.org", PASSWORD)
    assert driver.interrupted
    assert eve.name == "Evelyn"


def test_two_processes_apply_the_same_events_once(there: Scenario) -> None:
    def apply_elsewhere() -> None:
        follow_log(there.engine)

    for nth in range(1, 7):
        driver = InterruptedDriver(
            there.engine, TransactWriteItems, before=apply_elsewhere, first=nth - 1
        )
        names = ("Carol", "Karol") if nth % 2 else ("Karol", "Carol")
        there.world.open(driver).people.rename(there.owner, *names)
        check_consistency(there.world)
    before = dump_items(there.engine)
    rebuild(open_store(there.engine), KEYS.ballot_key)
    assert dump_items(there.engine) == before


def test_service_opens_while_others_write(there: Scenario) -> None:
    other = there.world.open()

    def looks(operation: Operation[object]) -> bool:
        return isinstance(operation, Query) and operation.scan_index_forward is False

    driver = InterruptedDriver(
        there.engine, looks, before=lambda: other.lifecycle.create(there.bob, "New")
    )
    assert there.world.open(driver).context.read.get_election("New").owner_name == "Bob"
    assert driver.interrupted
    reads_table = InterruptedDriver(
        there.engine,
        _reads_position,
        before=lambda: other.lifecycle.create(there.bob, "Newer"),
    )
    assert there.world.open(reads_table).context.read.get_election("Newer").owner_name == "Bob"
    assert reads_table.interrupted
