"""An item that does not fit its entity is named by its key, whichever call reads it."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import pytest

from singletable import parse_stream_event
from singletable.errors import ItemMismatch
from singletable.operations import PutItem
from singletable.store import Store
from singletable.values import Item
from tests.store.entities import Ballot, Candidate, Election, File, ballot, votes
from tests.store.member_entity import Member, members
from tests.store.store_adapter import StoreOpener

KEY: Item = {"PK": {"S": "ELECTION#L"}, "SK": {"S": "BALLOT#bea"}}


@pytest.fixture
def store(opener: StoreOpener) -> Store:
    """Return a store with three ballots, the second of which has a rank that is a text."""
    store = opener.open()
    store.admin.create_table(votes)
    store.create(Election(name="L"))
    for voter in ("ada", "bea", "cid"):
        store.create(ballot(voter))
    item = next(one for one in store.admin.items(votes, 9).items if one["SK"] == KEY["SK"])
    opener.driver.execute(PutItem("vote_data", {**item, "rank": {"S": "first"}}))
    return store


READS: dict[str, Callable[[Store], object]] = {
    "get": lambda store: store.get(Ballot.key("L", "bea")),
    "get_many": lambda store: store.get_many([Ballot.key("L", "bea")]),
    "transact_get": lambda store: store.transact_get(Ballot.key("L", "bea")),
    "query": lambda store: list(store.query(Ballot.key.partition("L"))),
    "page": lambda store: store.page(Ballot.key.partition("L"), 9),
    "hydrate": lambda store: list(store.hydrate(Ballot.by_voter("bea"))),
    "select": lambda store: list(store.select(Ballot.key.partition("L"), Ballot.rank)),
    "collect": lambda store: store.collect(File, Ballot.key.partition("L")),
    "scan": lambda store: list(store.admin.scan(Ballot)),
    "decode": lambda store: [
        store.admin.decode(votes, item) for item in store.admin.items(votes, 9).items
    ],
    "update": lambda store: store.update(Ballot.key("L", "bea"), Ballot.choice.set("x")),
    "delete": lambda store: store.delete(Ballot.key("L", "bea")),
}


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_mismatch_names_the_item(store: Store, read: Callable[[Store], object]) -> None:
    with pytest.raises(ItemMismatch) as caught:
        read(store)
    assert caught.value.key == KEY
    assert caught.value.path == "Ballot.rank"
    assert str(caught.value).endswith("The item is PK='ELECTION#L', SK='BALLOT#bea'.")


def test_find_names_the_item(opener: StoreOpener) -> None:
    store = opener.open()
    store.admin.create_table(members)
    store.create(Member(name="ada", email="a@x", handle="ada"))
    item = next(one for one in store.admin.items(members, 9).items if "name" in one)
    key = {one.name: item[one.name] for one in members.key_attributes}
    opener.driver.execute(PutItem(members.name, {**item, "email": {"N": "1"}}))
    with pytest.raises(ItemMismatch) as caught:
        store.find(Member.one_email("a@x"))
    assert caught.value.key == key


def test_changes_name_the_item(store: Store) -> None:
    with pytest.raises(ItemMismatch) as caught:
        store.changes(Ballot)
    assert caught.value.key == KEY


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
        store.get(Ballot.key("L", "bea"))
    assert caught.value.key == KEY


def test_mismatch_of_a_collection_has_no_key(opener: StoreOpener) -> None:
    store = opener.open()
    store.admin.create_table(votes)
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
