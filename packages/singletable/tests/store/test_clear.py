"""Admin.clear deletes all items of a table except those to keep."""

from __future__ import annotations

from decimal import Decimal
from typing import TypeVar

import pytest

from dynamodb_engine.engine import Engine
from dynamodb_engine.faults import Faults, FaultyDriver
from dynamodb_engine.operations import BatchWriteItem, PutItem
from dynamodb_engine.testing import Crash, InterruptedDriver, LaggingDriver
from dynamodb_engine.values import Item
from singletable.errors import AlreadyExists
from singletable.schema import ItemKey
from singletable.store import Call, Progress, Store
from tests.store.store_adapter import StoreOpener
from tests.store.stores import open_store
from tests.store.test_table_shapes import Reading, meters
from tools.testing.designs.members import Member, check_markers, members
from tools.testing.designs.votes import Ballot, Candidate, Election, ballot, votes

R = TypeVar("R")


@pytest.fixture
def store(empty: Store, opener: StoreOpener) -> Store:
    empty.admin.create_table(votes)
    empty.put_many([Election(name="L"), Candidate(election="L", name="py")])
    empty.put_many(ballot(f"v{number}") for number in range(60))
    opener.driver.execute(PutItem("vote_data", {"PK": {"S": "OTHERS"}, "SK": {"S": "x"}}))
    return empty


def left(store: Store) -> set[object]:
    """Return the keys of the remaining items."""
    return {(item["PK"]["S"], item["SK"]["S"]) for item in store.admin.items(votes, 100).items}


def test_clear_deletes_all_items(store: Store) -> None:
    progress: list[Progress] = []
    assert store.admin.clear(votes, on_progress=progress.append) == 63
    assert progress[-1] == Progress(63, None)
    assert left(store) == set()
    assert store.admin.clear(votes) == 0
    store.create(ballot("v1"))


def test_clear_keeps_items_to_keep(store: Store) -> None:
    keep: list[ItemKey[object]] = [
        Ballot.key("L", "v7"),
        Election.key("L"),
        Election.key("not there"),
    ]
    for deleted in (61, 0):
        assert store.admin.clear(votes, keep=(one for one in keep)) == deleted
        assert left(store) == {("ELECTION#L", "BALLOT#v7"), ("ELECTION#L", "METADATA")}


def test_clear_leaves_other_tables(opener: StoreOpener) -> None:
    store, other = opener.open(tables={votes: "votes-prod"}), opener.open()
    for one in (store, other):
        one.admin.create_table(votes)
        one.put(ballot("ada"))
    assert store.admin.clear(votes) == 1
    assert store.get(Ballot.key("L", "ada")) is None
    assert other.get(Ballot.key("L", "ada")) is not None


# A value belongs to one item for as long as its marker exists.
def test_clear_keeps_markers_of_kept_items(empty: Store, opener: StoreOpener) -> None:
    empty.admin.create_table(members)
    for name in ("ada", "bea"):
        empty.create(Member(name=name, email=f"{name}@x", handle=name, town="Bern"))
        empty.update(Member.key(name), Member.handle.set(f"{name}2"))
    assert empty.admin.clear(members, keep=[Member.key("ada")]) == 3
    check_markers(opener.driver)
    assert empty.find(Member.one_email("Ada@x")) == empty.get(Member.key("ada"))
    for taken in (Member(name="cid", email="ada@x"), Member(name="cid", handle="ada2")):
        with pytest.raises(AlreadyExists):
            empty.create(taken)
    empty.create(Member(name="bea", email="bea@x", handle="bea"))


# A marker in another format, written by another program: it says nothing about a kept item.
@pytest.mark.parametrize("owner", [{}, {"owner_PK": {"L": []}, "owner_SK": {"S": "MEMBER"}}])
def test_clear_deletes_markers_without_owner(
    empty: Store, opener: StoreOpener, owner: Item
) -> None:
    empty.admin.create_table(members)
    empty.create(Member(name="ada"))
    marker: Item = {"PK": {"S": "EMAIL#e@x"}, "SK": {"S": "EMAIL"}, **owner}
    opener.driver.execute(PutItem("members", marker))
    assert empty.admin.clear(members, keep=[Member.key("ada")]) == 1


def test_clear_keeps_items_with_number_keys(empty: Store) -> None:
    empty.admin.create_table(meters)
    empty.put_many(Reading(meter=1, at=Decimal(at)) for at in (-5, 0, 100))
    # The same number, spelled differently.
    kept = Reading.key(1, Decimal("1E+2"))
    assert empty.admin.clear(meters, keep=[kept]) == 2
    assert empty.get(kept) is not None


def test_clear_deletes_many_pages(empty: Store, calls: list[Call]) -> None:
    empty.admin.create_table(votes)
    empty.put_many(ballot(f"v{number}", notes=["x" * 200_000]) for number in range(20))
    observed = empty.observed(calls.append)
    assert observed.admin.clear(votes, keep=[Ballot.key("L", "v11")]) == 19
    assert [call.continued for call in calls] == [False, *[True] * (len(calls) - 1)]
    assert len(calls) > 3
    assert left(empty) == {("ELECTION#L", "BALLOT#v11")}


@pytest.mark.usefixtures("waits")
def test_clear_retries_unprocessed_deletes(store: Store, opener: StoreOpener) -> None:
    driver = FaultyDriver(opener.driver, Faults(unprocessed=1.0))
    assert Store(driver).admin.clear(votes) == 63
    assert left(store) == set()
    assert driver.injected["unprocessed"] > 3


def test_clear_can_be_called_again_after_an_interruption(store: Store, opener: StoreOpener) -> None:
    crashing = InterruptedDriver(opener.driver, BatchWriteItem, before=Crash, first=1)
    with pytest.raises(Crash):
        Store(crashing).admin.clear(votes, keep=[Election.key("L")])
    assert len(left(store)) == 63 - 25
    assert store.admin.clear(votes, keep=[Election.key("L")]) == 62 - 25
    assert left(store) == {("ELECTION#L", "METADATA")}


# An eventually consistent read would miss the latest writes.
def test_clear_reads_consistently() -> None:
    engine = Engine.in_memory()
    store = open_store(votes, driver=engine)
    lagging = Store(LaggingDriver(engine))
    store.put_many([ballot("ada"), ballot("bea")])
    assert lagging.admin.items(votes, 9).items == []
    assert lagging.admin.clear(votes) == 2
    assert left(store) == set()
