"""Items that are older than a unique constraint get their markers when they are written."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import pytest

from singletable.engine import Engine
from singletable.errors import AlreadyExists
from singletable.operations import Driver, Operation, PutItem, TransactWriteItems
from singletable.schema import model_of
from singletable.store import Call, Store
from tests.store.member_entity import Member, check_markers, members
from tests.store.store_adapter import StoreOpener

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


def put_together(store: Store) -> None:
    with store.transaction() as transaction:
        transaction.put(ada())


WAYS: dict[str, Callable[[Store], object]] = {
    "put": lambda store: store.put(ada()),
    "replace": lambda store: store.replace(ada()),
    "put in a transaction": put_together,
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


class Meanwhile:
    """A driver that runs a function just before the first transaction."""

    def __init__(self, driver: Driver, happens: Callable[[], object]) -> None:
        self._driver = driver
        self._happens: Callable[[], object] | None = happens

    def execute(self, operation: Operation[R], /) -> R:
        """Execute the operation, after running the function."""
        if operation.__class__ is TransactWriteItems and self._happens is not None:
            happens, self._happens = self._happens, None
            happens()
        return self._driver.execute(operation)


@pytest.mark.parametrize("way", WAYS)
def test_value_claimed_between_read_and_write_raises(
    store: Store, opener: StoreOpener, way: str
) -> None:
    late = Store(
        Meanwhile(opener.driver, lambda: store.create(Member(name="bea", email="a@x.org")))
    )
    with pytest.raises(AlreadyExists):
        WAYS[way](late)
    assert store.find(EMAIL) == store.get(BEA)
    assert store.get(ADA) == ada()


def test_value_released_between_read_and_write_is_claimed(
    store: Store, opener: StoreOpener
) -> None:
    late = Store(Meanwhile(opener.driver, lambda: store.update(ADA, Member.email.set(None))))
    late.put(ada())
    assert store.find(EMAIL) == store.get(ADA)
    check_markers(opener.driver)


def test_one_of_many_items_with_a_shared_value_claims_it() -> None:
    with Engine.in_memory() as engine:
        store = Store(engine)
        store.admin.create_table(members)
        for number in range(16):
            from_before(engine, Member(name=f"m{number}", email="a@x.org"))

        def write(number: int) -> str | None:
            try:
                return store.replace(Member(name=f"m{number}", email="a@x.org")).name
            except AlreadyExists:
                return None

        with ThreadPoolExecutor(8) as pool:
            (winner,) = [name for name in pool.map(write, range(16)) if name is not None]
        found = store.find(EMAIL)
        assert found is not None
        assert found.name == winner


# How all items of a table get their markers: each is rewritten unchanged.
def test_rewriting_all_items_creates_missing_markers(store: Store, opener: StoreOpener) -> None:
    from_before(opener.driver, Member(name="bea", email="b@x.org", handle="bea"))
    for member in store.admin.scan(Member):
        store.replace(member)
    check_markers(opener.driver)


def test_existing_marker_is_read_but_not_written(opener: StoreOpener, store: Store) -> None:
    store.put(ada())
    calls: list[Call] = []
    opener.open(observers=[calls.append]).put(ada())
    assert [type(one.operation).__name__ for one in calls[0].requests] == [
        "GetItem",
        "GetItem",
        "PutItem",
    ]
