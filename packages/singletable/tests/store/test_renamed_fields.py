"""Attributes with other names in an older version: items are read and edited as if renamed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pytest
from pydantic import BaseModel

from dynamodb_engine.operations import GetItem, PutItem
from dynamodb_engine.testing import InterruptedDriver
from dynamodb_engine.values import AttributeValue, Item
from singletable import Encrypted, Json, errors
from singletable.schema import (
    Attr,
    Edit,
    Entity,
    Index,
    Key,
    ModelEntity,
    Table,
    Unique,
    attr,
    created,
    model_of,
    updated,
    version,
)
from singletable.store import Store
from tests.store.store_adapter import StoreOpener
from tests.store.stores import existing, expect_error, open_store

by_team = Index("by_team", pk="GSI1PK", sk="GSI1SK")
users = Table("users", indexes=[by_team])
SECRET = Encrypted(key=lambda key_id: bytes(32), key_id="1")


@dataclass
class Address:
    """A nested value."""

    city: str
    zip: str = ""


class User(Entity, table=users, schema_version=2):
    """All kinds of edits, of attributes that had other names."""

    user: Attr[str] = attr(name="ID")
    name: Attr[str] = attr(name="Name")
    team: Attr[str] = attr(default="red")
    points: Attr[int] = attr(default=0)
    log: Attr[list[str]] = attr(factory=list)
    tags: Attr[set[str]] = attr(factory=set)
    address: Attr[Address | None] = attr(default=None)
    data: Attr[dict[str, Any]] = attr(codec=Json(), factory=dict)
    email: Attr[str | None] = attr(default=None)
    secret: Attr[str | None] = attr(default=None, codec=SECRET)
    revision: Attr[int] = version()
    key = Key(pk=("USER", user), sk="USER")
    of_team = Key(pk=("TEAM", team), sk=(name, user)).on(by_team, when=points > 0)
    one_email = Unique(email, include={"name": name})


OLD_NAMES = {
    "user": "id",
    "name": "FullName",
    "team": "Team",
    "points": "score",
    "log": "events",
    "tags": "labels",
    "address": "place",
    "data": "extra",
    "email": "mail",
    "secret": "hidden",
}
User.renamed(from_=1, **OLD_NAMES)
ADA = User.key("ada")
# An item of version 1, which has none of the current names.
OLD: Item = {
    "PK": {"S": "USER#ada"},
    "SK": {"S": "USER"},
    "id": {"S": "ada"},
    "FullName": {"S": "Ada"},
    "Team": {"S": "blue"},
    "score": {"N": "3"},
    "events": {"L": [{"S": "a"}]},
    "labels": {"SS": ["x", "y"]},
    "place": {"M": {"city": {"S": "Rome"}, "zip": {"S": ""}}},
    "extra": {"M": {"n": {"N": "1"}}},
    "mail": {"S": "a@x"},
    "revision": {"N": "1"},
    "note": {"S": "of another program"},
}


def stored(store: Store, pk: str = "USER#ada") -> Item:
    """Return the attributes of an item without keys."""
    found = next(one for one in store.admin.items(users, 50).items if one["PK"] == {"S": pk})
    return {name: one for name, one in found.items() if not name.startswith(("PK", "SK", "GSI"))}


@pytest.fixture
def store(opener: StoreOpener) -> Store:
    opened = opener.open()
    opened.admin.create_table(users)
    opener.driver.execute(PutItem("users", OLD))
    return opened


@pytest.fixture
def quick() -> Store:
    """Return a store in memory, for cases that do not depend on the driver."""
    opened = open_store(users)
    put(opened, OLD)
    return opened


def put(store: Store, item: Item) -> None:
    """Store an item as another program would."""
    store.driver.execute(PutItem("users", item))


def ada(store: Store) -> User:
    return existing(store.get(ADA))


def test_old_item_is_read_edited_and_renamed_on_every_driver(store: Store) -> None:
    before = ada(store)
    assert (before.name, before.team, before.points) == ("Ada", "blue", 3)
    assert (before.tags, before.log) == ({"x", "y"}, ["a"])
    assert (before.address, before.email) == (Address("Rome"), "a@x")
    after = store.update(
        ADA,
        User.points.add(2),
        User.log.append("b"),
        User.tags.remove_members("x", "y"),
        User.address.nested(lambda one: one.city).set("Oslo"),
        User.name.set("Ada L"),
        User.secret.set_if_missing("s"),
        if_=(User.name == "Ada") & (User.points == 3) & User.tags.contains("x"),
    )
    assert (after.points, after.log, after.tags, after.name) == (5, ["a", "b"], set(), "Ada L")
    assert (after.address, after.secret, after.revision) == (Address("Oslo"), "s", 2)
    assert not {*OLD_NAMES.values()} & set(stored(store))
    assert stored(store)["note"] == {"S": "of another program"}
    assert [one.name for one in store.query(User.of_team("blue"), where=User.points > 4)] == [
        "Ada L"
    ]
    assert store.find(User.one_email("a@x")) == ada(store) == after


def test_queries_filter_and_select_by_the_new_names(store: Store) -> None:
    found = User.key.partition("ada")
    assert list(store.select(found, User.name, User.points)) == [("Ada", 3)]
    assert store.count(found, where=(User.name == "Ada") & User.email.exists()) == 1
    assert store.count(found, where=User.name != "Ada") == 0


EDITS: list[Edit[User]] = [
    User.name.set("Eve"),
    User.name.set_if_missing("Eve"),
    User.points.add(2),
    User.points.remove(),
    User.log.append("b"),
    User.log.prepend("b", "c"),
    User.log[0].set("z"),
    User.tags.add_members("z"),
    User.tags.remove_members("x"),
    User.tags.remove_members("x", "y"),
    User.tags.set(set()),
    User.address.set(None),
    User.address.nested(lambda one: one.zip).set("1"),
    User.data["n"].set(2),
    User.data["m"].set("new"),
    User.data["n"].remove(),
    User.email.set("b@x"),
    User.email.remove(),
    User.email.set_if_missing("c@x"),
    User.secret.set("s"),
    User.secret.set_if_missing("s"),
]


@pytest.mark.parametrize(
    "edit", EDITS, ids=lambda edit: f"{edit.path} {type(edit.action).__name__}"
)
def test_edit_has_the_result_of_renaming_first(quick: Store, edit: Edit[User]) -> None:
    put(quick, model_of(User).versions.upgraded(OLD))
    expected = quick.update(ADA, edit)
    quick.delete(ADA)
    put(quick, OLD)
    assert quick.update(ADA, edit) == expected
    attributes = stored(quick)
    edited = model_of(User).fields[edit.field]
    assert not {*OLD_NAMES.values()} & set(attributes)
    assert attributes.get(edited.attribute) == stored_value(quick, expected, edited)


def stored_value(store: Store, expected: User, field: Attr[Any]) -> AttributeValue | None:
    if field.codec().cipher is not None:
        return stored(store).get(field.attribute)  # encrypted again each time
    return model_of(User).item(vars(expected)).get(field.attribute)


def test_edit_is_repeated_if_a_program_of_the_old_version_writes_meanwhile(quick: Store) -> None:
    def write() -> None:
        put(quick, {**OLD, "score": {"N": "10"}})

    racing = Store(InterruptedDriver(quick.driver, GetItem, after=write))
    assert racing.update(ADA, User.points.add(1)).points == 11


def test_upsert_modify_and_transactions_rename(quick: Store) -> None:
    unchanged = quick.upsert(ADA, User.points.add(1), on_create=[User.name.set("New")])
    assert (unchanged.name, unchanged.points) == ("Ada", 4)
    put(quick, OLD)
    quick.modify(ADA, lambda one: setattr(one, "points", one.points * 10))
    assert ada(quick).points == 30
    assert not {*OLD_NAMES.values()} & set(stored(quick))
    put(quick, OLD)
    with quick.transaction() as transaction:
        transaction.update(ADA, User.points.add(1), if_=User.points == 3)
        transaction.update(ADA, User.log.append("b"))
        transaction.create(User(user="eve", name="Eve"))
    assert (ada(quick).points, ada(quick).log) == (4, ["a", "b"])
    put(quick, OLD)
    with expect_error(errors.ConditionFailed), quick.transaction() as transaction:
        transaction.check(ADA, User.points == 0)
        transaction.create(User(user="zoe", name="Zoe"))
    assert quick.delete(ADA, if_=User.name == "Ada") is not None


def test_unique_values_of_old_items_are_released_and_kept() -> None:
    store = open_store(users)
    store.create(User(user="ada", name="Ada", email="a@x"))
    put(store, OLD)
    with pytest.raises(errors.AlreadyExists):
        store.create(User(user="eve", name="Eve", email="a@x"))
    store.update(ADA, User.email.set("b@x"))
    store.create(User(user="eve", name="Eve", email="a@x"))
    marker = next(one for one in store.admin.items(users, 50).items if "b@x" in one["PK"]["S"])
    assert marker["name"] == {"S": "Ada"}


class Before(Entity, table=Table("users")):
    """The earlier version of the next class, in a program that knows no schema version."""

    user: Attr[str] = attr(name="id")
    text: Attr[str] = attr(default="")
    secret: Attr[str | None] = attr(name="hidden", default=None, codec=SECRET)
    made: Attr[datetime] = created(name="created_at")
    changed: Attr[datetime] = updated(name="updated_at")
    key = Key(pk=("NOTE", user), sk="NOTE")


class After(Entity, table=Table("users"), schema_version=2):
    user: Attr[str] = attr(name="id")
    text: Attr[str] = attr(default="")
    secret: Attr[str | None] = attr(default=None, codec=SECRET)
    made: Attr[datetime] = created()
    changed: Attr[datetime] = updated()
    key = Key(pk=("NOTE", user), sk="NOTE")


After.renamed(from_=1, secret="hidden", made="created_at", changed="updated_at")


class Both(Entity, table=Table("users"), schema_version=2, write_version=1):
    user: Attr[str] = attr(name="id")
    text: Attr[str] = attr(default="")
    secret: Attr[str | None] = attr(default=None, codec=SECRET)
    made: Attr[datetime] = created()
    changed: Attr[datetime] = updated()
    key = Key(pk=("NOTE", user), sk="NOTE")


Both.renamed(from_=1, secret="hidden", made="created_at", changed="updated_at")


def test_timestamps_and_encrypted_values_are_renamed(quick: Store) -> None:
    before = quick.create(Before(user="a", secret="s"))
    after = quick.update(After.key("a"), After.text.set("x"), if_=After.made == before.made)
    assert (after.made, after.secret) == (before.made, "s")
    assert after.changed > before.changed
    names = {"id", "text", "secret", "made", "changed", "schema_version"}
    assert set(stored(quick, "NOTE#a")) == names
    assert quick.get(After.key("a")) == after
    assert list(quick.select(After.key.partition("a"), After.secret)) == [("s",)]


def test_write_version_stores_the_old_names(quick: Store) -> None:
    quick.create(Both(user="a", secret="s"))
    quick.update(Both.key("a"), Both.text.set("x"))
    names = {"id", "text", "hidden", "created_at", "updated_at", "schema_version"}
    assert set(stored(quick, "NOTE#a")) == names
    assert existing(quick.get(Before.key("a"))).secret == "s"
    assert existing(quick.get(After.key("a"))).secret == "s"


def test_bulk_load_skips_an_equal_item_with_old_names(quick: Store) -> None:
    quick.create(Before(user="a", text="x"))
    assert quick.bulk_load([After(user="a", text="x")]).skipped == 1
    result = quick.bulk_load([After(user="a", text="y")], on_conflict=lambda conflict: None)
    assert result.conflicts == 1


class Pet(BaseModel):
    """A pydantic model."""

    name: str
    kind: str = "cat"


class Pets(ModelEntity[Pet], table=users, schema_version=2):
    name: Attr[str] = attr()
    key = Key(pk=("PET", name), sk="PET")


Pets.renamed(from_=1, kind="species")


def test_pydantic_model_is_read_under_old_names(quick: Store) -> None:
    item: Item = {**Pets.key("tom").key, "name": {"S": "tom"}, "species": {"S": "dog"}}
    put(quick, item)
    assert quick.get(Pets.key("tom")) == Pet(name="tom", kind="dog")
    assert quick.modify(Pets.key("tom"), lambda pet: None).kind == "dog"
    assert "species" not in stored(quick, "PET#tom")
