"""Items from before their unique values were declared have no markers, until they are written."""

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
from tests.store.faces import Face
from tests.store.members import Member, check_markers, members

R = TypeVar("R")
ADA, BEA = Member.key("ada"), Member.key("bea")
EMAIL = Member.one_email("a@x.org")


def ada(**values: str) -> Member:
    return Member(name="ada", **({"email": "a@x.org", "town": "Bern"} | values))


def from_before(driver: Driver, member: Member) -> None:
    """Write an item as it was written when nobody knew of unique values."""
    driver.execute(PutItem("members", model_of(Member).item(member.__dict__)))


@pytest.fixture
def store(empty: Store, face: Face) -> Store:
    empty.admin.create_table(members)
    from_before(face.driver, ada())
    return empty


def put_together(store: Store) -> None:
    with store.transaction() as together:
        together.put(ada())


WAYS: dict[str, Callable[[Store], object]] = {
    "put": lambda store: store.put(ada()),
    "replace": lambda store: store.replace(ada()),
    "put in a transaction": put_together,
    "update of the value": lambda store: store.update(ADA, Member.email.set("A@X.org")),
    "update of a copy": lambda store: store.update(ADA, Member.town.set("Biel")),
    "update of a copy as it was": lambda store: store.update(ADA, Member.town.set("Bern")),
}


@pytest.mark.parametrize("way", WAYS)
def test_who_is_written_takes_the_values_it_has(store: Store, face: Face, way: str) -> None:
    assert store.find(EMAIL) is None
    WAYS[way](store)
    assert store.find(EMAIL) == store.get(ADA)
    check_markers(face.driver)
    with pytest.raises(AlreadyExists):
        store.create(Member(name="bea", email="A@X.ORG"))


# Two had the value already. The first to be written has it from then on.
@pytest.mark.parametrize("way", WAYS)
def test_a_value_that_another_has_taken_is_not_written_again(store: Store, way: str) -> None:
    store.create(Member(name="bea", email="a@x.org"))
    with pytest.raises(AlreadyExists, match="another Member has the same email") as refused:
        WAYS[way](store)
    assert refused.value.fields == ("email",)
    assert store.get(ADA) == ada()
    assert store.find(EMAIL) == store.get(BEA)


# What an update does not touch it does not look at: other fields cost what they always did.
def test_who_shares_a_value_can_still_be_changed_and_mended(store: Store, face: Face) -> None:
    store.create(Member(name="bea", email="a@x.org"))
    assert store.update(ADA, Member.handle.set("countess")).email == "a@x.org"
    store.update(ADA, Member.email.set("ada@x.org"))
    check_markers(face.driver)


class Meanwhile:
    """A driver that lets something happen just before the first transaction."""

    def __init__(self, driver: Driver, happens: Callable[[], object]) -> None:
        self._driver = driver
        self._happens: Callable[[], object] | None = happens

    def execute(self, operation: Operation[R], /) -> R:
        """The driver's answer, a little late."""
        if operation.__class__ is TransactWriteItems and self._happens is not None:
            happens, self._happens = self._happens, None
            happens()
        return self._driver.execute(operation)


@pytest.mark.parametrize("way", WAYS)
def test_another_may_take_the_value_between_look_and_write(
    store: Store, face: Face, way: str
) -> None:
    late = Store(Meanwhile(face.driver, lambda: store.create(Member(name="bea", email="a@x.org"))))
    with pytest.raises(AlreadyExists):
        WAYS[way](late)
    assert store.find(EMAIL) == store.get(BEA)
    assert store.get(ADA) == ada()


def test_the_owner_may_give_the_value_up_between_look_and_write(store: Store, face: Face) -> None:
    late = Store(Meanwhile(face.driver, lambda: store.update(ADA, Member.email.set(None))))
    late.put(ada())
    assert store.find(EMAIL) == store.get(ADA)
    check_markers(face.driver)


def test_of_many_who_share_a_value_one_takes_it() -> None:
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


# How all items of a table are given their markers: each is written as it is.
def test_all_are_written_once_after_a_constraint_is_declared(store: Store, face: Face) -> None:
    from_before(face.driver, Member(name="bea", email="b@x.org", handle="bea"))
    for member in store.admin.scan(Member):
        store.replace(member)
    check_markers(face.driver)


def test_a_marker_that_is_there_is_read_and_not_written(face: Face, store: Store) -> None:
    store.put(ada())
    calls: list[Call] = []
    face.open(observers=[calls.append]).put(ada())
    assert [type(one.operation).__name__ for one in calls[0].requests] == [
        "GetItem",
        "GetItem",
        "PutItem",
    ]
