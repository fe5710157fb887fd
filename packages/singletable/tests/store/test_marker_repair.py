"""Items that are older than a unique constraint get their markers when they are written."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import pytest

from dynamodb_engine.operations import Driver, PutItem, TransactWriteItems
from dynamodb_engine.testing import InterruptedDriver
from singletable.errors import AlreadyExists
from singletable.schema import model_of
from singletable.store import Call, Store
from tests.store.store_adapter import StoreOpener
from tests.store.stores import existing, open_store, request_names, transact
from tools.testing.designs.members import Member, check_markers, members

R = TypeVar("R")
ADA, BEA = Member.key("ada"), Member.key("bea")
EMAIL = Member.one_email("a@x.org")


def ada(**values: str) -> Member:
    return Member(name="ada", **({"email": "a@x.org", "town": "Bern"} | values))


def from_before(driver: Driver, member: Member) -> None:
    """Write an item as it was written before the unique constraint existed."""
    driver.execute(PutItem("members", model_of(Member).item(member.__dict__)))


@pytest.fixture
def store(empty: Store, opener: StoreOpener) -> Store:
    empty.admin.create_table(members)
    from_before(opener.driver, ada())
    return empty


WAYS: dict[str, Callable[[Store], object]] = {
    "put": lambda store: store.put(ada()),
    "replace": lambda store: store.replace(ada()),
    "put in a transaction": lambda store: transact(store, lambda to: to.put(ada())),
    "update of the value": lambda store: store.update(ADA, Member.email.set("A@X.org")),
    "update of a copy": lambda store: store.update(ADA, Member.town.set("Biel")),
    "update of a copy as it was": lambda store: store.update(ADA, Member.town.set("Bern")),
}


@pytest.mark.parametrize("way", WAYS)
def test_write_claims_values_without_markers(store: Store, opener: StoreOpener, way: str) -> None:
    assert store.find(EMAIL) is None
    WAYS[way](store)
    assert store.find(EMAIL) == store.get(ADA)
    check_markers(opener.driver)
    with pytest.raises(AlreadyExists):
        store.create(Member(name="bea", email="A@X.ORG"))


# Two items had the value already. The first to be written owns it from then on.
@pytest.mark.parametrize("way", WAYS)
def test_put_with_a_taken_value_raises(store: Store, way: str) -> None:
    store.create(Member(name="bea", email="a@x.org"))
    with pytest.raises(AlreadyExists, match="another Member has the same email") as raised:
        WAYS[way](store)
    assert raised.value.fields == ("email",)
    assert store.get(ADA) == ada()
    assert store.find(EMAIL) == store.get(BEA)


# An update only checks what it changes: other fields cost what they always did.
def test_items_with_a_shared_value_can_be_repaired(store: Store, opener: StoreOpener) -> None:
    store.create(Member(name="bea", email="a@x.org"))
    assert store.update(ADA, Member.handle.set("countess")).email == "a@x.org"
    store.update(ADA, Member.email.set("ada@x.org"))
    check_markers(opener.driver)


def before_transaction(opener: StoreOpener, action: Callable[[], object]) -> Store:
    """Return a store that runs a function just before its first transaction."""
    return Store(InterruptedDriver(opener.driver, TransactWriteItems, before=action))


@pytest.mark.parametrize("way", WAYS)
def test_value_claimed_between_read_and_write_raises(
    store: Store, opener: StoreOpener, way: str
) -> None:
    late = before_transaction(opener, lambda: store.create(Member(name="bea", email="a@x.org")))
    with pytest.raises(AlreadyExists):
        WAYS[way](late)
    assert store.find(EMAIL) == store.get(BEA)
    assert store.get(ADA) == ada()


def test_value_released_between_read_and_write_is_claimed(
    store: Store, opener: StoreOpener
) -> None:
    late = before_transaction(opener, lambda: store.update(ADA, Member.email.set(None)))
    late.put(ada())
    assert store.find(EMAIL) == store.get(ADA)
    check_markers(opener.driver)


def test_one_of_many_items_with_a_shared_value_claims_it() -> None:
    store = open_store(members)
    for number in range(16):
        from_before(store.driver, Member(name=f"m{number}", email="a@x.org"))

    def write(number: int) -> str | None:
        try:
            return store.replace(Member(name=f"m{number}", email="a@x.org")).name
        except AlreadyExists:
            return None

    with ThreadPoolExecutor(8) as pool:
        (winner,) = [name for name in pool.map(write, range(16)) if name is not None]
    assert existing(store.find(EMAIL)).name == winner


# How all items of a table get their markers: each is rewritten unchanged.
def test_rewriting_all_items_creates_missing_markers(store: Store, opener: StoreOpener) -> None:
    from_before(opener.driver, Member(name="bea", email="b@x.org", handle="bea"))
    for member in store.admin.scan(Member):
        store.replace(member)
    check_markers(opener.driver)


def test_existing_marker_is_read_but_not_written(store: Store, calls: list[Call]) -> None:
    store.put(ada())
    store.observed(calls.append).put(ada())
    assert request_names(calls) == [["GetItem", "GetItem", "PutItem"]]
