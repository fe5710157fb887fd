"""Errors about one item have its key, so that they tell which write failed."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import pytest

from singletable import (
    AlreadyExists,
    Attr,
    ConditionFailed,
    Count,
    Entity,
    Item,
    ItemKey,
    ItemMismatch,
    Key,
    NotFound,
    PutItem,
    SingleTableError,
    Store,
    Table,
    Unique,
    VersionConflict,
    attr,
    connect,
    errors,
    version,
)
from tests.store.stores import expect_error

Writer: TypeAlias = Any  # a store or a transaction, which have the same methods
Write: TypeAlias = Callable[[Writer], object]

# Errors about an item that a driver raises: the caller has named the item in the request.
OF_DRIVERS = {errors.DuplicateItem, errors.ItemCollectionTooLarge, errors.TransactionConflict}
ABOUT_SOME_ITEMS = {errors.TransformFailed, errors.InvalidValue}


ERRORS = [
    value
    for value in vars(errors).values()
    if isinstance(value, type) and issubclass(value, SingleTableError)
]


# A new error about an item must not call its key by another name, or forget it.
@pytest.mark.parametrize("kind", ERRORS)
def test_errors_about_one_item_have_its_key(kind: type[SingleTableError]) -> None:
    summary = (inspect.getdoc(kind) or "").partition(".\n")[0]
    about_item = re.search(r"\b(item|condition)\b", summary) is not None
    parameters = inspect.signature(kind.__init__).parameters
    if about_item and kind not in OF_DRIVERS | ABOUT_SOME_ITEMS:
        assert "key" in parameters, summary
    for word in ("item_key", "table_key", "keys", "pk"):
        assert word not in parameters


KEYS = Table("keys")


class Team(Entity, table=KEYS):
    name: Attr[str] = attr()
    people: Attr[int] = attr(default=0)
    key = Key(pk=("TEAM", name), sk="TEAM")


class Person(Entity, table=KEYS):
    name: Attr[str] = attr()
    team: Attr[str] = attr()
    email: Attr[str] = attr()
    points: Attr[int] = attr(default=0)
    revision: Attr[int] = version()
    key = Key(pk=("PERSON", name), sk="PERSON")
    one_email = Unique(email)
    in_team = Count(Team, Team.people, key=(team,))


ADA, BEA, EVE = (Person.key(name) for name in ("ada", "bea", "eve"))
OLD = Person(name="ada", team="red", email="other@example.org")
# By name: a write that fails, the class of its error, and the key that it must have.
FAILURES: dict[str, tuple[Write, type[ConditionFailed], ItemKey[Any]]] = {
    "create": (lambda to: to.create(person("ada")), AlreadyExists, ADA),
    "create, unique": (lambda to: to.create(person("eve", email="ada@x.org")), AlreadyExists, EVE),
    "create, count": (lambda to: to.create(person("eve", "blue")), NotFound, Team.key("blue")),
    "put": (lambda to: to.put(person("ada")), AlreadyExists, ADA),
    "put, version": (lambda to: to.put(stale("ada")), VersionConflict, ADA),
    "put, missing": (lambda to: to.put(stale("eve")), NotFound, EVE),
    "put, unique": (lambda to: to.put(person("eve", email="ada@x.org")), AlreadyExists, EVE),
    "put, condition": (
        lambda to: to.put(Team(name="red"), if_=Team.people == 9),
        ConditionFailed,
        Team.key("red"),
    ),
    "replace": (lambda to: to.replace(person("eve")), NotFound, EVE),
    "update": (lambda to: to.update(EVE, Person.points.set(1)), NotFound, EVE),
    "update, unique": (
        lambda to: to.update(BEA, Person.email.set("ada@x.org")),
        AlreadyExists,
        BEA,
    ),
    "update, condition": (
        lambda to: to.update(ADA, Person.points.set(1), if_=Person.points == 5),
        ConditionFailed,
        ADA,
    ),
    "upsert": (
        lambda to: to.upsert(Team.key("red"), Team.people.set(1), if_=Team.people == 9),
        ConditionFailed,
        Team.key("red"),
    ),
    "delete": (lambda to: to.delete(ADA, if_=Person.points == 5), ConditionFailed, ADA),
    "delete, missing": (lambda to: to.delete(EVE, if_=Person.points == 5), ConditionFailed, EVE),
    "check": (lambda to: to.check(EVE), NotFound, EVE),
    "check, condition": (lambda to: to.check(ADA, Person.points == 5), ConditionFailed, ADA),
}


def person(name: str, team: str = "red", email: str = "") -> Person:
    return Person(name=name, team=team, email=email or f"{name}@x.org")


def stale(name: str) -> Person:
    """Return a person with a version that is not stored."""
    read = person(name)
    read.__dict__["revision"] = 7
    return read


@pytest.fixture
def store() -> Iterator[Store]:
    """Yield a store with a team and two people."""
    with connect("memory:") as driver:
        store = Store(driver)
        store.admin.create_table(KEYS)
        store.create(Team(name="red"))
        store.create(Team(name="green"))
        for name in ("ada", "bea"):
            store.create(person(name))
        yield store


@pytest.mark.parametrize("name", FAILURES)
def test_error_of_a_single_write_has_the_key(store: Store, name: str) -> None:
    write, kind, key = FAILURES[name]
    if name.startswith("check"):
        write, kind, key = FAILURES["update"]
    with pytest.raises(kind) as raised:
        write(store)
    check_key(raised.value, kind, key)


# Only the key tells which of several writes of one entity failed, if there is no item.
@pytest.mark.parametrize("position", [0, 1, 2])
@pytest.mark.parametrize("name", FAILURES)
def test_error_of_a_transaction_tells_which_write_failed(
    store: Store, name: str, position: int
) -> None:
    failing, kind, key = FAILURES[name]
    writes: list[Write] = [
        lambda to: to.create(person("joe")),
        lambda to: to.update(Team.key("green"), Team.people.add(1)),
    ]
    writes.insert(position, failing)
    with expect_error(kind) as raised, store.transaction() as transaction:
        for write in writes:
            write(transaction)
    check_key(raised.value, kind, key)


# The transaction reads the item, because it depends on it what the writes do.
def test_merged_writes_of_one_item_have_the_key(store: Store) -> None:
    with expect_error(ConditionFailed) as raised, store.transaction() as transaction:
        transaction.update(BEA, Person.points.add(1))
        transaction.update(ADA, Person.points.add(1), if_=Person.points == 0)
        transaction.update(ADA, Person.points.add(1), if_=Person.points == 5)
    check_key(raised.value, ConditionFailed, ADA)


def test_modify_and_bulk_load_have_the_key(store: Store) -> None:
    with pytest.raises(NotFound) as missing:
        store.modify(EVE, lambda item: item)
    check_key(missing.value, NotFound, EVE)
    with pytest.raises(AlreadyExists) as exists:
        store.bulk_load([OLD])
    check_key(exists.value, AlreadyExists, ADA)


def test_mismatch_has_the_key_under_the_same_name(store: Store) -> None:
    item: Item = {**EVE.key, "name": {"N": "1"}}
    store.driver.execute(PutItem("keys", item))
    with pytest.raises(ItemMismatch) as raised:
        store.get(EVE)
    assert raised.value.key == EVE.key


# Errors of a program are raised without a key.
def test_key_is_optional() -> None:
    assert NotFound("There is no such event.").key is None


def check_key(error: ConditionFailed, kind: type[ConditionFailed], key: ItemKey[Any]) -> None:
    assert type(error) is kind
    assert error.key == key.key
