"""Admin.items pages through stored items, and Admin.decode decodes them."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest

from dynamodb_engine.operations import PutItem, Scan
from dynamodb_engine.values import Item
from singletable.errors import InvalidCursor, ItemMismatch
from singletable.store import Store
from singletable.testing import StoreClock
from tests.store.store_adapter import StoreOpener
from tests.store.stores import all_pages
from tests.store.test_table_shapes import Reading, meters
from tools.testing.designs.members import Member, members
from tools.testing.designs.votes import Ballot, Candidate, Election, Session, ballot, votes

SECRET = b"a secret of the service, 32 bytes"
STRANGER: Item = {"PK": {"S": "OTHERS"}, "SK": {"S": "x"}, "held": {"L": [{"N": "1"}]}}


@pytest.fixture
def store(opener: StoreOpener, clock: StoreClock) -> Store:
    store = opener.open(cursor_secret=SECRET)
    store.admin.create_table(votes)
    store.put_many([Election(name="L"), Candidate(election="L", name="py")])
    store.put_many([ballot("ada"), ballot("bea"), ballot("cid")])
    store.put(Session(voter="ada", number=1, ends=clock() + timedelta(hours=1)))
    opener.driver.execute(PutItem("vote_data", STRANGER))
    clock.advance(hours=2)
    return store


@pytest.mark.parametrize("size", [1, 2, 3, 6, 7, 8, 100])
def test_items_returns_each_stored_item_once(store: Store, opener: StoreOpener, size: int) -> None:
    pages = all_pages(store.admin.items, votes, size)
    assert all(page.items for page in pages)
    found = [item for page in pages for item in page.items]
    assert found == opener.driver.execute(Scan("vote_data")).items
    assert len(found) == 7
    assert len(pages) == -(-7 // size)


def test_items_of_an_empty_table_is_one_page(empty: Store) -> None:
    empty.admin.create_table(votes)
    page = empty.admin.items(votes, 10)
    assert (page.items, page.cursor) == ([], None)


# DynamoDB ends a page of a scan after a megabyte, however few items it returns.
def test_items_fills_pages_of_large_items(store: Store) -> None:
    store.put_many(ballot(f"v{number}", notes=["x" * 300_000]) for number in range(8))
    page = store.admin.items(votes, 14)
    assert len(page.items) == 14
    rest = store.admin.items(votes, 14, cursor=page.cursor)
    assert (len(rest.items), rest.cursor) == (1, None)


def test_items_continues_after_number_keys(empty: Store) -> None:
    empty.admin.create_table(meters)
    ats = [Decimal(text) for text in ("-5", "0", "1E+2")]
    empty.put_many(Reading(meter=meter, at=at) for meter in (1, 2) for at in ats)
    pages = all_pages(empty.admin.items, meters, 1)
    found = [str(item) for page in pages for item in page.items]
    assert len(found) == len(set(found)) == 6


def test_cursor_is_valid_after_its_item_was_deleted(store: Store, opener: StoreOpener) -> None:
    every = opener.driver.execute(Scan("vote_data")).items
    cursor = store.admin.items(votes, 3).cursor
    store.admin.clear(votes, keep=[])
    assert store.admin.items(votes, 9, cursor=cursor).items == []
    for item in every:
        opener.driver.execute(PutItem("vote_data", item))
    assert store.admin.items(votes, 9, cursor=cursor).items == every[3:]


def test_items_cursor_is_valid_for_one_table_and_secret(store: Store, opener: StoreOpener) -> None:
    store.admin.create_table(members)
    cursor = store.admin.items(votes, 2).cursor
    of_a_query = store.page(Ballot.key.partition("L"), 2).cursor
    assert opener.open(cursor_secret=SECRET).admin.items(votes, 9, cursor=cursor).items
    for other in (
        lambda: store.admin.items(members, 2, cursor=cursor),
        lambda: opener.open(cursor_secret=b"another secret, as long").admin.items(
            votes, 2, cursor=cursor
        ),
        lambda: opener.open().admin.items(votes, 2, cursor=cursor),
        lambda: store.admin.items(votes, 2, cursor=of_a_query),
        lambda: store.page(Ballot.key.partition("L"), 2, cursor=cursor),
        lambda: store.admin.items(votes, 2, cursor="W3RydWVd"),
    ):
        with pytest.raises(InvalidCursor):
            other()


def test_items_uses_the_real_table_name(opener: StoreOpener) -> None:
    store = opener.open(tables={votes: "votes-prod"})
    store.admin.create_table(votes)
    store.put(ballot("ada"))
    assert len(store.admin.items(votes, 2).items) == 1


def test_decode_returns_the_entity(store: Store) -> None:
    read = [store.admin.decode(votes, item) for item in store.admin.items(votes, 9).items]
    kinds = sorted(type(one).__name__ for one in read)
    assert kinds == ["Ballot"] * 3 + ["Candidate", "Election", "NoneType", "Session"]
    assert ballot("bea") in read


def test_decode_of_a_marker_returns_none(empty: Store) -> None:
    empty.admin.create_table(members)
    ada = empty.create(Member(name="ada", email="a@x", handle="ada"))
    items = empty.admin.items(members, 9).items
    read = [empty.admin.decode(members, item) for item in items]
    assert len(items) == 3
    assert [one for one in read if one is not None] == [ada]


TAG: Item = {"entity_type": {"S": "BALLOT"}}
STRANGERS: dict[str, Item] = {
    "nothing": {},
    "another's key": STRANGER,
    "a known tag on another's key": STRANGER | TAG,
    "a known key without its tag": {"PK": {"S": "ELECTION#L"}, "SK": {"S": "BALLOT#ada"}},
    "a key of another type": {"PK": {"N": "1"}, "SK": {"S": "METADATA"}},
}


@pytest.mark.parametrize("item", STRANGERS.values(), ids=STRANGERS)
def test_decode_of_an_unknown_item_returns_none(empty: Store, item: Item) -> None:
    assert empty.admin.decode(votes, item) is None


def test_decode_of_an_incomplete_item_raises(empty: Store) -> None:
    item: Item = {"PK": {"S": "ELECTION#L"}, "SK": {"S": "CANDIDATE#py"}, "election": {"N": "1"}}
    with pytest.raises(ItemMismatch, match="election"):
        empty.admin.decode(votes, item)
