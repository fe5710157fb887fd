"""Counters are exact, under concurrency and after any kind of write."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from singletable.errors import ConditionFailed, NotFound
from singletable.schema import Attr, Count, Entity, Key, Table, attr, version
from singletable.store import Store
from tests.store.stores import existing, expect_error, open_store

table = Table("polls")


class Poll(Entity, table=table):
    name: Attr[str] = attr()
    title: Attr[str] = attr(default="")
    votes: Attr[int] = attr(default=0)
    version: Attr[int] = version()
    key = Key(pk=("POLL", name), sk="POLL")


class Person(Entity, table=table):
    name: Attr[str] = attr()
    cast: Attr[int] = attr(default=0)
    key = Key(pk=("PERSON", name), sk="PERSON")


class Vote(Entity, table=table):
    poll: Attr[str] = attr()
    number: Attr[int] = attr()
    by: Attr[str | None] = attr(default=None)
    note: Attr[str] = attr(default="")
    key = Key(pk=("POLL", poll), sk=("VOTE", number))
    counted = Count(Poll, Poll.votes, key=(poll,))
    per_person = Count(Person, Person.cast, key=(by,))


@pytest.fixture
def store(empty: Store) -> Store:
    empty.admin.create_table(table)
    empty.create(Poll(name="p"))
    for name in ("ada", "bea"):
        empty.create(Person(name=name))
    return empty


def votes(store: Store) -> int:
    return existing(store.get(Poll.key("p"))).votes


def cast(store: Store, name: str) -> int:
    return existing(store.get(Person.key(name))).cast


def test_counter_follows_creates_and_deletes(store: Store) -> None:
    store.create(Vote(poll="p", number=1, by="ada"))
    store.put(Vote(poll="p", number=2, by="ada"))
    assert (votes(store), cast(store, "ada")) == (2, 2)
    store.put(Vote(poll="p", number=2, by="ada", note="again"))
    store.replace(Vote(poll="p", number=2, by="ada", note="and again"))
    store.update(Vote.key("p", 2), Vote.note.set("changed"))
    assert (votes(store), cast(store, "ada")) == (2, 2)
    with pytest.raises(ConditionFailed):
        store.create(Vote(poll="p", number=2))
    store.delete(Vote.key("p", 1))
    store.delete(Vote.key("p", 1))
    assert (votes(store), cast(store, "ada")) == (1, 1)


def test_update_moves_the_count_to_another_counter(store: Store) -> None:
    store.create(Vote(poll="p", number=1, by="ada"))
    store.update(Vote.key("p", 1), Vote.by.set("bea"))
    assert (votes(store), cast(store, "ada"), cast(store, "bea")) == (1, 0, 1)
    store.update(Vote.key("p", 1), Vote.by.set(None))
    assert (cast(store, "ada"), cast(store, "bea")) == (0, 0)
    store.put(Vote(poll="p", number=1, by="ada"))
    assert (votes(store), cast(store, "ada")) == (1, 1)


def test_create_without_counter_item_raises_not_found(store: Store) -> None:
    with pytest.raises(NotFound, match=r"Poll.*counts Vote"):
        store.create(Vote(poll="none", number=1))
    assert store.get(Vote.key("none", 1)) is None


def test_counted_items_can_be_deleted_without_their_counter(store: Store) -> None:
    store.create(Vote(poll="p", number=1, by="ada"))
    store.delete(Poll.key("p"))
    assert store.delete(Vote.key("p", 1)) is not None
    assert store.get(Poll.key("p")) is None
    assert cast(store, "ada") == 0


def test_transaction_adds_up_counts(store: Store) -> None:
    with store.transaction() as transaction:
        transaction.create(Poll(name="q"))
        for number in range(3):
            transaction.create(Vote(poll="q", number=number, by="ada"))
        transaction.update(Person.key("ada"), Person.cast.add(10))
    assert (existing(store.get(Poll.key("q"))).votes, cast(store, "ada")) == (3, 13)
    with store.transaction() as transaction:
        transaction.delete(Poll.key("q"))
        for number in range(3):
            transaction.delete(Vote.key("q", number))
    assert (store.get(Poll.key("q")), cast(store, "ada")) == (None, 10)


def test_failed_transaction_counts_nothing(store: Store) -> None:
    store.create(Vote(poll="p", number=1))
    with expect_error(ConditionFailed), store.transaction() as transaction:
        transaction.create(Vote(poll="p", number=2))
        transaction.create(Vote(poll="p", number=1))
    assert votes(store) == 1


# Read, changed and put back while others voted: the count is theirs, not the reader's.
def test_put_of_a_counter_item_keeps_the_count(store: Store) -> None:
    poll, person = existing(store.get(Poll.key("p"))), existing(store.get(Person.key("ada")))
    store.create(Vote(poll="p", number=1, by="ada"))
    poll.title = "renamed"
    store.put(poll)
    store.put(person)
    assert (votes(store), poll.votes) == (1, 1)
    assert (cast(store, "ada"), person.cast) == (1, 1)
    with store.transaction() as transaction:
        transaction.replace(poll)
    assert votes(store) == 1


def test_counts_are_exact_under_concurrency() -> None:
    store = open_store(table)
    store.create(Poll(name="p"))
    store.create(Person(name="ada"))

    def work(worker: int) -> None:
        for turn in range(12):
            store.create(Vote(poll="p", number=worker * 100 + turn, by="ada"))
            if turn % 3 == 2:
                store.delete(Vote.key("p", worker * 100 + turn))
            if turn % 4 == 3:
                store.update(Poll.key("p"), Poll.title.set(f"{worker}"))
        person = existing(store.get(Person.key("ada")))
        store.put(person)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    there = store.count(Vote.key.partition("p"))
    assert there == 8 * 8
    assert votes(store) == there
    assert cast(store, "ada") == there
