"""Batches: get_many, put_many and delete_many."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from dynamodb_engine.faults import Faults, FaultyDriver
from dynamodb_engine.operations import BatchGetItem, BatchGetItemOutput, BatchWriteItemOutput
from singletable.errors import InvalidValue, Throttled
from singletable.schema import Attr, Count, Entity, Key, Table, TimeFormat, Unique, attr, created
from singletable.store import Store
from tests.store.store_adapter import StoreOpener
from tests.store.stores import open_store
from tools.testing.designs.votes import Ballot, Candidate, Voter, ballot, votes

people = Table("people", pk="id", sk=None)


class Person(Entity, table=people):
    name: Attr[str] = attr()
    email: Attr[str] = attr(default="")
    friends: Attr[int] = attr(default=0)
    key = Key(pk=("PERSON", name))


class Account(Entity, table=people):
    name: Attr[str] = attr()
    email: Attr[str] = attr()
    key = Key(pk=("ACCOUNT", name))
    one_email = Unique(email)


class Friend(Entity, table=people):
    of: Attr[str] = attr()
    name: Attr[str] = attr()
    key = Key(pk=("FRIEND", of, name))
    counted = Count(Person, Person.friends, key=(of,))


class LogLine(Entity, table=votes):
    topic: Attr[str] = attr()
    text: Attr[str] = attr()
    at: Attr[datetime] = created(time_format=TimeFormat.EPOCH_SECONDS)
    key = Key(pk=("LOG", topic), sk=("LINE", at))


NAMES = [f"v{number:03d}" for number in range(230)]
TABLES = (votes, people)


def test_get_many_returns_items_in_key_order(store: Store) -> None:
    store.put_many(ballot(name, rank=number) for number, name in enumerate(NAMES))
    asked = NAMES[::-1]
    found = store.get_many([Ballot.key("L", name) for name in asked], consistent=True)
    assert [None if one is None else one.voter for one in found] == asked
    assert store.count(Ballot.key.partition("L")) == len(NAMES)


def test_get_many_returns_none_for_missing_items(store: Store) -> None:
    store.put(ballot("ada"))
    addresses = [Ballot.key("L", name) for name in ("bea", "ada", "cid", "ada", "bea")]
    found = store.get_many(addresses)
    assert found == [None, ballot("ada"), None, ballot("ada"), None]
    assert store.get_many([]) == []


def test_batches_mix_entities_and_tables(store: Store) -> None:
    mixed = [ballot("ada"), Candidate(election="L", name="Ann"), ballot("bea")]
    store.put_many([*mixed, *(Candidate(election="M", name=name) for name in NAMES)])
    found = store.get_many([Ballot.key("L", "ada"), Ballot.key("L", "bea")])
    assert found == [mixed[0], mixed[2]]
    assert store.count(Candidate.key.partition("M")) == len(NAMES)


# BatchWriteItem rejects duplicates, and one of the items would be lost.
def test_put_many_rejects_duplicate_keys(store: Store) -> None:
    duplicates = [ballot("ada", rank=1), ballot("bea"), ballot("ada", rank=2)]
    with pytest.raises(InvalidValue, match=r"items\[0\] and items\[2\].*voter='ada'"):
        store.put_many(duplicates)
    assert store.count(Ballot.key.partition("L")) == 0


def test_put_many_rejects_keys_that_the_store_makes_equal(store: Store) -> None:
    logged = [LogLine(topic="t", text=str(number)) for number in range(3)]
    with pytest.raises(InvalidValue, match=r"items\[0\] and items\[1\].*datetime"):
        store.put_many(logged)
    assert store.count(LogLine.key.partition("t")) == 0
    assert not hasattr(logged[0], "at")


def test_delete_many_ignores_missing_items(store: Store) -> None:
    store.put_many(ballot(name) for name in NAMES)
    gone = [Ballot.key("L", name) for name in [*NAMES[:100], "nobody", NAMES[0]]]
    store.delete_many(gone)
    assert [one.voter for one in store.query(Ballot.key.partition("L"))] == NAMES[100:]


def test_batches_accept_empty_lists(store: Store) -> None:
    store.put_many([])
    store.delete_many([])


@pytest.mark.parametrize(
    ("item", "what"),
    [
        (Voter(name="ada"), "a version"),
        (Account(name="ada", email="a@x"), "unique values"),
        (Friend(of="ada", name="bea"), "counts"),
        (Person(name="ada"), "a count or last number of others"),
    ],
)
def test_put_many_rejects_entities_that_need_conditions(
    store: Store, item: Entity, what: str
) -> None:
    with pytest.raises(InvalidValue, match=what):
        store.put_many([item])


def test_delete_many_rejects_entities_with_side_writes(store: Store) -> None:
    with pytest.raises(InvalidValue, match="unique values"):
        store.delete_many([Account.key("ada")])
    with pytest.raises(InvalidValue, match="counts"):
        store.delete_many([Friend.key("ada", "bea")])
    store.delete_many([Voter.key("ada"), Person.key("ada")])


# Each batch is only partly processed, again and again; the store continues while there is progress.
def test_batches_retry_unprocessed_items(opener: StoreOpener, waits: list[float]) -> None:
    driver = FaultyDriver(opener.driver, Faults(unprocessed=1.0))
    store = open_store(votes, driver=driver)
    store.put_many(ballot(name) for name in NAMES)
    found = store.get_many([Ballot.key("L", name) for name in NAMES])
    assert [None if one is None else one.voter for one in found] == NAMES
    store.delete_many([Ballot.key("L", name) for name in NAMES])
    assert store.count(Ballot.key.partition("L")) == 0
    assert driver.injected["unprocessed"] > 10
    assert waits


# A batch of large items is always cut; the store continues while some are returned.
def test_get_many_reads_large_items_in_several_responses() -> None:
    store = open_store(votes)
    large = "x" * 390_000
    names = NAMES[:130]
    store.put_many(ballot(name, notes=[large]) for name in names)
    found = store.get_many([Ballot.key("L", name) for name in names])
    assert [None if one is None else one.voter for one in found] == names


class Refusing:
    """A driver that processes nothing of a batch."""

    def execute(self, operation: Any, /) -> Any:
        """Return everything unprocessed."""
        is_read = isinstance(operation, BatchGetItem)
        requests = operation.request_items
        return BatchGetItemOutput({}, requests) if is_read else BatchWriteItemOutput(requests)


def test_batch_raises_throttled_when_nothing_is_processed(waits: list[float]) -> None:
    store = Store(Refusing())
    with pytest.raises(Throttled, match="unprocessed"):
        store.get_many([Ballot.key("L", "ada")])
    with pytest.raises(Throttled, match="unprocessed"):
        store.put_many([ballot("ada")])
    assert len(waits) > 10
    assert len(set(waits)) > 10, "waits are of random length"
