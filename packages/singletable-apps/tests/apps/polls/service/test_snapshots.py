"""Snapshots of tallies: stored once, read by all, rebuilt if damaged, deleted with the poll."""

from __future__ import annotations

import pytest

from dynamodb_engine.operations import Operation
from dynamodb_engine.testing import InterruptedDriver
from singletable import BatchGetItem, DeleteItem, Store, TransactionConflict, TransactWriteItems
from singletable.errors import InternalError
from singletable_apps.polls.entities import Snapshot, SnapshotPart
from singletable_apps.polls.service import ManagedPoll
from tests.apps.polls.support.harness import (
    World,
    cast,
    check_counted,
    delete,
    dump,
    interrupted,
    items_of,
)

pytestmark = pytest.mark.usefixtures("no_waits")


@pytest.fixture(autouse=True)
def snapshots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take snapshots after a few entries."""
    monkeypatch.setattr("singletable_apps.polls.tally.MIN_NEW_ENTRIES", 5)


def _voted(world: World, managed: ManagedPoll, first: int, last: int) -> None:
    for number in range(first, last):
        cast(world.service, managed, ["Go"], f"{number}")


@pytest.mark.parametrize("step", ["parts", "head"])
def test_no_snapshot_remains_of_a_deleted_poll(memory: World, step: str) -> None:
    managed = memory.made()
    _voted(memory, managed, 0, 10)

    def stores_part(operation: Operation[object]) -> bool:
        return "SNAPSHOT#" in str(operation)

    when = stores_part if step == "parts" else TransactWriteItems
    service, driver = interrupted(memory, when, lambda: delete(memory.service, managed))
    assert service.tallies.get(managed.poll).votes == 10
    assert driver.interrupted
    assert dump(memory.driver) == []


def test_one_of_two_concurrent_snapshots_is_stored(memory: World) -> None:
    managed = memory.made()
    _voted(memory, managed, 0, 10)
    other = memory.open()
    service, driver = interrupted(
        memory, TransactWriteItems, lambda: other.tallies.get(managed.poll)
    )
    for last in (10, 20, 30):
        _voted(memory, managed, last - 10, last)
        assert service.tallies.get(managed.poll).votes == last
        assert other.tallies.get(managed.poll).votes == last
        store = Store(memory.driver)
        head = store.get(Snapshot.key(managed.poll.id))
        assert head is not None
        parts = list(store.query(SnapshotPart.key.partition(managed.poll.id)))
        assert {part.name for part in parts} == {head.name}
    assert driver.interrupted
    check_counted(memory, managed)


def test_snapshot_replaced_during_a_read_is_read_again(memory: World) -> None:
    managed = memory.made()
    _voted(memory, managed, 0, 10)
    memory.service.tallies.get(managed.poll)

    def replaced() -> None:
        _voted(memory, managed, 10, 20)
        memory.service.tallies.get(managed.poll)

    service, driver = interrupted(memory, lambda one: isinstance(one, BatchGetItem), replaced)
    assert service.tallies.get(managed.poll).votes == 20
    assert driver.interrupted


def test_snapshot_with_missing_parts_is_rebuilt(memory: World) -> None:
    managed = memory.made()
    _voted(memory, managed, 0, 10)
    memory.service.tallies.get(managed.poll)
    for item in items_of(memory.driver):
        if item["SK"]["S"].startswith("SNAPSHOT#"):
            key = {"PK": item["PK"], "SK": item["SK"]}
            memory.driver.execute(DeleteItem("ranked-choice-polls", key))
    assert memory.open().tallies.get(managed.poll).votes == 10
    assert any("SNAPSHOT#" in item for item in dump(memory.driver)), "it is rebuilt"
    check_counted(memory, managed)


# The head is written and its response is lost: for good, or until the repeated write conflicts.
@pytest.mark.parametrize(
    ("later", "times"), [(InternalError(), None), (TransactionConflict("Conflict."), 1)]
)
def test_snapshot_with_lost_response_keeps_its_parts(
    memory: World, later: Exception, times: int | None
) -> None:
    managed = memory.made()
    _voted(memory, managed, 0, 10)
    lost = InterruptedDriver(memory.driver, TransactWriteItems, after=InternalError)
    driver = InterruptedDriver(lost, TransactWriteItems, before=later, first=1, times=times)
    assert memory.open(driver).tallies.get(managed.poll).votes == 10
    assert lost.interrupted
    fresh = memory.open()
    head, tally = fresh.tallies.snapshots.read(managed.poll)
    assert head is not None
    assert (tally.votes, sum(head.positions)) == (10, 10)
    _voted(memory, managed, 10, 20)
    assert check_counted(memory, managed) == 20
