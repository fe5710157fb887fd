"""One item: create, put, replace, get and delete."""

from __future__ import annotations

from typing import Any

import pytest

from dynamodb_engine.operations import GetItem, PutItem, Scan
from dynamodb_engine.values import Item
from singletable.errors import AlreadyExists, ConditionFailed, ItemMismatch, NotFound
from singletable.schema import key_of
from singletable.store import Call, Store
from tests.store.store_adapter import StoreOpener
from tests.store.stores import existing, open_store, stored_item
from tools.testing.designs.votes import Ballot, Election, Place, ballot, votes

TABLES = (votes,)
ADA = Ballot.key("L", "ada")
FIELDS: Item = {**ADA.key, "election": {"S": "L"}, "voter": {"S": "ada"}}
FULL: dict[str, Any] = {
    "choice": "Ann",
    "rank": 3,
    "tags": {"early"},
    "notes": ["one", "two"],
    "marks": {"a": 1},
    "place": Place("Bern", 4),
}


@pytest.mark.parametrize("consistent", [False, True])
def test_get_returns_the_created_item(store: Store, consistent: bool) -> None:
    made = store.create(ballot("ada", **FULL))
    assert store.get(ADA, consistent=consistent) == made


def test_get_of_a_missing_item_returns_none(store: Store) -> None:
    assert store.get(ADA) is None


def test_get_of_a_missing_item_takes_one_request(calls: list[Call]) -> None:
    open_store(votes, observers=[calls.append]).get(Election.key("L"))
    assert [len(call.requests) for call in calls if call.shape.method == "get"] == [1]


def test_key_of_returns_the_key_of_an_instance(store: Store) -> None:
    made = store.create(ballot("ada"))
    assert store.get(key_of(made)) == made


def test_put_overwrites(store: Store) -> None:
    store.put(ballot("ada", choice="Ann", notes=["gone afterwards"]))
    store.put(ballot("ada", choice="Bob"))
    found = store.get(ADA)
    assert found == ballot("ada", choice="Bob")


def test_put_with_a_condition(store: Store) -> None:
    store.put(ballot("ada", rank=1))
    store.put(ballot("ada", rank=2), if_=Ballot.rank == 1)
    with pytest.raises(ConditionFailed) as raised:
        store.put(ballot("ada", rank=3), if_=Ballot.rank == 1)
    assert raised.value.current == ballot("ada", rank=2)
    assert store.get(ADA) == ballot("ada", rank=2)


def test_put_with_a_condition_on_a_missing_item_raises(store: Store) -> None:
    with pytest.raises(ConditionFailed, match="does not exist") as raised:
        store.put(ballot("ada"), if_=Ballot.rank == 1)
    assert raised.value.current is None


def test_create_of_an_existing_item_raises(store: Store) -> None:
    first = store.create(ballot("ada", choice="Ann"))
    with pytest.raises(AlreadyExists) as raised:
        store.create(ballot("ada", choice="Bob"))
    assert raised.value.fields == ("election", "voter")
    assert raised.value.current == first
    assert store.get(ADA) == first


def test_replace_of_a_missing_item_raises(store: Store) -> None:
    with pytest.raises(NotFound):
        store.replace(ballot("ada"))
    assert store.get(ADA) is None
    store.create(ballot("ada"))
    store.replace(ballot("ada", rank=9))
    assert store.get(ADA) == ballot("ada", rank=9)


def test_replace_with_a_condition(store: Store) -> None:
    store.create(ballot("ada", rank=1))
    with pytest.raises(ConditionFailed) as raised:
        store.replace(ballot("ada", rank=9), if_=Ballot.rank > 1)
    assert not isinstance(raised.value, NotFound)
    assert raised.value.current == ballot("ada", rank=1)


def test_delete_returns_the_deleted_item(store: Store) -> None:
    made = store.create(ballot("ada"))
    assert store.delete(ADA) == made
    assert store.delete(ADA) is None
    assert store.get(ADA) is None


def test_delete_with_a_condition(store: Store) -> None:
    with pytest.raises(ConditionFailed):
        store.delete(ADA, if_=Ballot.rank.missing() | (Ballot.rank == 0))
    store.create(ballot("ada", rank=1))
    with pytest.raises(ConditionFailed) as raised:
        store.delete(ADA, if_=Ballot.rank == 2)
    assert raised.value.current == ballot("ada", rank=1)
    assert store.delete(ADA, if_=Ballot.rank == 1) is not None


# Older and newer writers coexist: each leaves alone what it does not know.
def test_put_keeps_unknown_attributes_that_were_read(store: Store, opener: StoreOpener) -> None:
    store.create(ballot("ada"))
    item = stored_item(opener.driver, ADA)
    opener.driver.execute(PutItem("vote_data", {**item, "newer": {"L": [{"S": "x"}]}}))
    found = existing(store.get(ADA))
    found.rank = 7
    store.put(found)
    again = stored_item(opener.driver, ADA)
    assert (again["newer"], again["rank"]) == ({"L": [{"S": "x"}]}, {"N": "7"})


def test_missing_attributes_have_defaults(store: Store, opener: StoreOpener) -> None:
    opener.driver.execute(PutItem("vote_data", {**FIELDS, "entity_type": {"S": "BALLOT"}}))
    assert store.get(ADA) == ballot("ada")


def test_item_of_another_entity_raises(store: Store, opener: StoreOpener) -> None:
    opener.driver.execute(PutItem("vote_data", {**FIELDS, "entity_type": {"S": "BILL"}}))
    with pytest.raises(ItemMismatch, match="BALLOT"):
        store.get(ADA)


def test_item_is_stored_as_documented(store: Store, opener: StoreOpener) -> None:
    store.create(ballot("ada", election="Favorite Language", choice="Ann"))
    (item,) = opener.driver.execute(Scan("vote_data")).items
    assert item["PK"] == {"S": "ELECTION#Favorite Language"}
    assert item["SK"] == {"S": "BALLOT#ada"}
    assert item["entity_type"] == {"S": "BALLOT"}
    assert item["GSI1PK"] == {"S": "VOTER#ada"}
    assert item["GSI2PK"] == {"S": "CHOICE#Favorite$20Language#Ann"}


def test_store_maps_table_names(opener: StoreOpener) -> None:
    store = opener.open(tables={votes: "votes-in-production"})
    store.admin.create_table(votes)
    store.create(Election(name="L"))
    key = Election.key("L").key
    assert opener.driver.execute(GetItem("votes-in-production", key)).item is not None
    assert store.get(Election.key("L")) == Election(name="L")
    assert list(store.query(Election.key.partition("L"))) == [Election(name="L")]
    assert store.get_many([Election.key("L")]) == [Election(name="L")]
    assert store.transact_get(Election.key("L")) == (Election(name="L"),)
