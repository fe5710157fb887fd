"""An item that does not fit its entity is named by its key, whichever call reads it."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import pytest

from dynamodb_engine.operations import PutItem
from dynamodb_engine.values import Item
from singletable import (
    Attr,
    Entity,
    Key,
    Shards,
    Table,
    attr,
    casefold,
    descending,
    parse_stream_event,
)
from singletable.errors import ItemMismatch
from singletable.schema import model_of
from singletable.store import Store
from tests.store.store_adapter import StoreOpener
from tests.store.stores import existing, stored_item
from tools.testing.designs.members import Member, members
from tools.testing.designs.votes import Ballot, Candidate, Election, File, ballot, votes

BEA = Ballot.key("L", "bea")
KEY: Item = {"PK": {"S": "ELECTION#L"}, "SK": {"S": "BALLOT#bea"}}


TABLES = (votes, members)


@pytest.fixture
def ballots(store: Store, opener: StoreOpener) -> Store:
    """Return a store with three ballots, the second of which has a rank that is a text."""
    store.create(Election(name="L"))
    for voter in ("ada", "bea", "cid"):
        store.create(ballot(voter))
    item = stored_item(opener.driver, BEA)
    opener.driver.execute(PutItem("vote_data", {**item, "rank": {"S": "first"}}))
    return store


READS: dict[str, Callable[[Store], object]] = {
    "get": lambda store: store.get(BEA),
    "get_many": lambda store: store.get_many([BEA]),
    "transact_get": lambda store: store.transact_get(BEA),
    "query": lambda store: list(store.query(Ballot.key.partition("L"))),
    "page": lambda store: store.page(Ballot.key.partition("L"), 9),
    "hydrate": lambda store: list(store.hydrate(Ballot.by_voter("bea"))),
    "select": lambda store: list(store.select(Ballot.key.partition("L"), Ballot.rank)),
    "collect": lambda store: store.collect(File, Ballot.key.partition("L")),
    "scan": lambda store: list(store.admin.scan(Ballot)),
    "decode": lambda store: [
        store.admin.decode(votes, item) for item in store.admin.items(votes, 9).items
    ],
    "update": lambda store: store.update(BEA, Ballot.choice.set("x")),
    "delete": lambda store: store.delete(BEA),
    # The first call returns the changes before the one that does not fit.
    "changes": lambda store: store.changes(Ballot, after=store.changes(Ballot).position),
}


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_mismatch_names_the_item(ballots: Store, read: Callable[[Store], object]) -> None:
    with pytest.raises(ItemMismatch) as caught:
        read(ballots)
    assert caught.value.key == KEY
    assert caught.value.path == "Ballot.rank"
    assert "The item is PK='ELECTION#L', SK='BALLOT#bea'." in str(caught.value)


WRITES: dict[str, tuple[str, Callable[[Store], object]]] = {
    "update": ("updated", lambda store: store.update(BEA, Ballot.choice.set("x"))),
    "old": ("updated", lambda store: store.update(BEA, Ballot.choice.set("x"), returning="old")),
    "upsert": ("updated", lambda store: store.upsert(BEA, Ballot.choice.set("x"))),
    "delete": ("deleted", lambda store: store.delete(BEA)),
}


# The write was applied: the error says so, and what was deleted is not lost.
@pytest.mark.parametrize(("done", "write"), WRITES.values(), ids=WRITES)
def test_error_of_a_write_has_the_item(
    ballots: Store, done: str, write: Callable[[Store], object]
) -> None:
    with pytest.raises(ItemMismatch) as caught:
        write(ballots)
    item = existing(caught.value.item)
    assert (item["rank"], item["SK"]) == ({"S": "first"}, KEY["SK"])
    notes = [f"The item was {done}. Its attributes are in the error's `item`."]
    assert caught.value.__notes__ == notes
    assert pickle.loads(pickle.dumps(caught.value)).item == item
    if done == "deleted":
        assert ballots.get(BEA) is None


def test_find_names_the_item(store: Store, opener: StoreOpener) -> None:
    store.create(Member(name="ada", email="a@x", handle="ada"))
    item = stored_item(opener.driver, Member.key("ada"))
    opener.driver.execute(PutItem(members.name, {**item, "email": {"N": "1"}}))
    with pytest.raises(ItemMismatch) as caught:
        store.find(Member.one_email("a@x"))
    assert caught.value.key == Member.key("ada").key


def test_find_names_a_marker_without_its_owner(store: Store, opener: StoreOpener) -> None:
    store.create(Member(name="ada", email="a@x", handle="ada"))
    for marker in store.admin.items(members, 9).items:
        owned = {name: value for name, value in marker.items() if not name.startswith("owner_")}
        opener.driver.execute(PutItem(members.name, owned))
    with pytest.raises(ItemMismatch, match="does not name its owner"):
        store.find(Member.one_email("a@x"))


def test_stream_events_name_the_item() -> None:
    image: Item = {**KEY, "entity_type": {"S": "BALLOT"}, "election": {"N": "1"}}
    record = {"eventName": "INSERT", "dynamodb": {"NewImage": image}}
    with pytest.raises(ItemMismatch) as caught:
        parse_stream_event({"Records": [record]}, Ballot)
    assert caught.value.key == KEY


def test_other_type_tag_names_the_item(opener: StoreOpener, store: Store) -> None:
    item: Item = {**KEY, "entity_type": {"S": "LETTER"}}
    opener.driver.execute(PutItem("vote_data", item))
    with pytest.raises(ItemMismatch) as caught:
        store.get(BEA)
    assert caught.value.key == KEY


def test_mismatch_of_a_collection_has_no_key(store: Store) -> None:
    store.create(Candidate(election="L", name="py"))
    with pytest.raises(ItemMismatch) as caught:
        store.collect(File, Ballot.key.partition("L"))
    assert caught.value.key is None


def test_mismatch_shows_numbers_without_quotes_and_survives_pickling() -> None:
    error = ItemMismatch(
        "expected a date.", "Reading.at", {"meter": {"N": "7"}, "B": {"B": "AQ=="}}
    )
    assert str(error) == "Reading.at: expected a date. The item is meter=7, B='AQ=='."
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.key, copy.path) == (str(error), error.key, error.path)


class Doc(Entity, table=votes, type_tag=("entity_type", "DOC")):
    name: Attr[str] = attr()
    number: Attr[int] = attr(default=1)
    key = Key(pk=("DOC", casefold(name)), sk=("N", descending(number)))


DOC_READS: dict[str, Callable[[Store], object]] = {
    "get": lambda store: store.get(Doc.key("5", 1)),
    "get_many": lambda store: store.get_many([Doc.key("5", 1)]),
    "query": lambda store: list(store.query(Doc.key.partition("5"))),
    "scan": lambda store: list(store.admin.scan(Doc)),
    "delete": lambda store: store.delete(Doc.key("5", 1)),
}


@pytest.mark.parametrize("read", DOC_READS.values(), ids=DOC_READS)
@pytest.mark.parametrize("change", [{"name": {"S": "other"}}, {"number": {"N": "2"}}], ids=str)
def test_item_whose_key_disagrees_with_its_attributes_is_rejected(
    store: Store, opener: StoreOpener, change: Item, read: Callable[[Store], object]
) -> None:
    store.create(Doc(name="5"))
    (item,) = store.admin.items(votes, 9).items
    opener.driver.execute(PutItem("vote_data", {**item, **change}))
    with pytest.raises(ItemMismatch, match=r"DOC#5.*belong to PK=") as caught:
        read(store)
    assert caught.value.key == Doc.key("5", 1).key
    assert caught.value.path == "Doc"


# The text in the key is lossy, escaped and in descending order: it must be rendered to compare.
def test_item_with_a_lossy_key_is_read(store: Store) -> None:
    doc = store.create(Doc(name="Über #5$", number=-7))
    assert store.get(Doc.key("über #5$", -7)) == doc
    assert list(store.admin.scan(Doc)) == [doc]


def test_key_only_item_of_another_shape_is_rejected() -> None:
    class Tag(Entity, table=Table("tags"), type_tag=("type", "TAG")):
        name: Attr[str] = attr(key_only=True)
        key = Key(pk=("TAG", name), sk="TAG")

    item: Item = {"PK": {"S": "TIG#a"}, "SK": {"S": "TAG"}, "type": {"S": "TAG"}}
    with pytest.raises(ItemMismatch, match="cannot be in a key"):
        model_of(Tag).instance(item)


# After the number of shards has changed, items are read in order to be moved.
def test_item_in_another_shard_is_read() -> None:
    class Event(Entity, table=Table("events")):
        day: Attr[str] = attr()
        name: Attr[str] = attr()
        key = Key(pk=("DAY", day, Shards(4, by=name)), sk=(name,))

    model = model_of(Event)
    item = model.item({"day": "mon", "name": "a"})
    moved: Item = {**item, "PK": {"S": "DAY#mon#7"}}
    assert model.instance(moved) == Event(day="mon", name="a")
    with pytest.raises(ItemMismatch):
        model.instance({**item, "PK": {"S": "DAY#tue#1"}})
