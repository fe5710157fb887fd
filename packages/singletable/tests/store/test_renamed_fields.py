"""Fields with old names: items of earlier versions are read, tested and edited as if renamed."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pytest

from singletable import Encrypted, Json, errors
from singletable.expressions import holds
from singletable.operations import GetItem, PutItem
from singletable.schema import (
    Attr,
    Condition,
    Edit,
    Entity,
    Index,
    Key,
    Table,
    Unique,
    attr,
    created,
    model_of,
    updated,
    version,
)
from singletable.store import Store
from singletable.store.validation import condition_node
from singletable.testing import InterruptedDriver
from singletable.values import AttributeValue, Item
from tests.store.store_adapter import StoreOpener
from tests.store.stores import existing, expect_error, open_store

by_team = Index("by_team", pk="GSI1PK", sk="GSI1SK")
names = Index("names", pk="GSI2PK", projection=["FullName", "full_name", "Name"])
some = Index("some", pk="GSI3PK", projection=["note"])
users = Table("users", indexes=[by_team, names, some])
SECRET = Encrypted(key=lambda key_id: bytes(32), key_id="1")


@dataclass
class Address:
    """A nested value."""

    city: str
    zip: str = ""


class Tagged(Entity):
    """A mixin: entities inherit the old names."""

    tags: Attr[set[str]] = attr(factory=set, old_names=("labels",))


class User(Tagged, table=users):
    """All kinds of edits, of attributes that had other names."""

    user: Attr[str] = attr(name="ID", old_names=("id",))
    name: Attr[str] = attr(name="Name", old_names=("full_name", "FullName"))
    team: Attr[str] = attr(default="red", old_names=("Team",))
    points: Attr[int] = attr(default=0, old_names=("score",))
    log: Attr[list[str]] = attr(factory=list, old_names=("events",))
    address: Attr[Address | None] = attr(default=None, old_names=("place",))
    data: Attr[dict[str, Any]] = attr(codec=Json(), factory=dict, old_names=("extra",))
    email: Attr[str | None] = attr(default=None, old_names=("mail",))
    secret: Attr[str | None] = attr(default=None, codec=SECRET, old_names=("hidden",))
    revision: Attr[int] = version()
    key = Key(pk=("USER", user), sk="USER")
    of_team = Key(pk=("TEAM", team), sk=(name, user)).on(by_team, when=points > 0)
    by_name = Key(pk=("NAME", name)).on(names)
    partly = Key(pk=("PARTLY", user)).on(some)
    one_email = Unique(email, include={"name": name})


class Written(Entity, table=users):
    """Writes the old names too: values that cannot be absent under both, others under the old."""

    user: Attr[str] = attr(name="id")
    name: Attr[str] = attr(name="Name", old_names=("full_name", "FullName"), write_old=True)
    points: Attr[int] = attr(default=0, old_names=("score",), write_old=True)
    nick: Attr[str | None] = attr(default=None, old_names=("Nick",), write_old=True)
    tags: Attr[set[str]] = attr(old_names=("labels",), write_old=True)
    key = Key(pk=("WRITTEN", user), sk="WRITTEN")


class Plain(Entity, table=users):
    """Without a version and an index."""

    user: Attr[str] = attr(name="id")
    name: Attr[str | None] = attr(default=None, old_names=("FullName",))
    key = Key(pk=("PLAIN", user), sk="PLAIN")


ADA, WRITTEN = User.key("ada"), Written.key("ada")
# An item of the oldest version, which has none of the current names.
OLD: Item = {
    "PK": {"S": "USER#ada"},
    "SK": {"S": "USER"},
    "id": {"S": "ada"},
    "full_name": {"S": "Ada"},
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
PLAIN: Item = {"PK": {"S": "PLAIN#a"}, "SK": {"S": "PLAIN"}, "id": {"S": "a"}}
OLD_NAMES = {name for field in model_of(User).fields.values() for name in field.old_names}


def stored(store: Store, item: Item) -> Item:
    """Return the attributes of an item without keys."""
    found = next(one for one in store.admin.items(users, 50).items if one["PK"] == item["PK"])
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
    return open_store(users)


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
    attributes = stored(store, OLD)
    assert OLD_NAMES & set(attributes) == {"id", "Team", "extra", "mail"}  # not edited
    assert [one.name for one in store.query(User.of_team("blue"), where=User.points > 4)] == [
        "Ada L"
    ]
    assert store.put(after).revision == 3
    attributes = stored(store, OLD)
    assert not OLD_NAMES & set(attributes)
    assert attributes["note"] == {"S": "of another program"}
    assert store.find(User.one_email("a@x")) == ada(store) == after


def test_queries_filter_and_select_by_the_name_that_an_item_has(store: Store) -> None:
    store.create(User(user="bob", name="Bob", points=1))
    store.modify(ADA, lambda one: setattr(one, "team", "red"))
    selection = User.of_team("red")
    assert {one.name for one in store.query(selection, where=User.name.in_("Ada", "Bob"))} == {
        "Ada",
        "Bob",
    }
    assert store.count(selection, where=User.email.exists()) == 1
    found = User.key.partition("ada")
    assert list(store.select(found, User.name, User.points)) == [("Ada", 3)]


# Each name may be absent, null or have one of two values; the first one present counts.
VALUES: list[AttributeValue | None] = [None, {"NULL": True}, {"S": "Ada"}, {"S": "Bob"}]
CONDITIONS: list[Condition[User]] = [
    User.name == "Ada",
    User.name != "Ada",
    User.name < "Bob",
    User.name.exists(),
    User.name.missing(),
    User.name.begins_with("A"),
    User.name.contains("d"),
    User.name.in_("Ada", "Eve"),
    User.name.between("A", "B"),
    User.name.size() >= 4,
    ~(User.name == "Ada"),
    (User.name == "Ada") & ~(User.team == "red"),
    (User.name == User.team) | User.team.missing(),
]


@pytest.mark.parametrize("condition", CONDITIONS, ids=repr)
def test_condition_tests_the_renamed_item(condition: Condition[User]) -> None:
    model = model_of(User)
    node = condition_node(model, condition)
    assert node is not None
    for values in itertools.product(VALUES, VALUES, VALUES, VALUES[:3], VALUES[:3]):
        attributes = ("full_name", "FullName", "Name", "Team", "team")
        item = {name: one for name, one in zip(attributes, values, strict=True) if one is not None}
        assert holds(node, item) == holds(condition.node(), model.current(item))


def test_condition_on_a_nested_value_tests_the_renamed_item() -> None:
    model = model_of(User)
    condition = User.address.nested(lambda one: one.city) == "Rome"
    node = condition_node(model, condition)
    assert node is not None
    rome, oslo = ({"M": {"city": {"S": city}}} for city in ("Rome", "Oslo"))
    for first, second in itertools.product((None, rome, oslo, {"NULL": True}), repeat=2):
        pairs = (("place", first), ("address", second))
        item: Any = {name: one for name, one in pairs if one is not None}
        assert holds(node, item) == holds(condition.node(), model.current(item))


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
@pytest.mark.parametrize("is_both", [False, True])
def test_edit_has_the_result_of_renaming_first(
    quick: Store, edit: Edit[User], is_both: bool
) -> None:
    renamed = model_of(User).current(OLD)
    put(quick, renamed)
    expected = quick.update(ADA, edit)
    quick.delete(ADA)
    # If both names are present, the new one is outdated.
    stale: Item = {"points": {"N": "99"}, "Name": {"S": "Stale"}, "email": {"S": "stale"}}
    put(quick, {**stale, **OLD} if is_both else OLD)
    assert quick.update(ADA, edit) == expected
    attributes = stored(quick, OLD)
    edited = model_of(User).fields[edit.field]
    assert not set(edited.old_names) & set(attributes)
    assert attributes.get(edited.attribute) == stored_value(quick, expected, edited)


def stored_value(store: Store, expected: User, field: Attr[Any]) -> AttributeValue | None:
    if field.codec().cipher is not None:
        return stored(store, OLD).get(field.attribute)  # encrypted again each time
    return model_of(User).item(vars(expected)).get(field.attribute)


def test_two_edits_of_one_value_are_rejected(quick: Store) -> None:
    put(quick, OLD)
    with pytest.raises(errors.InvalidValue, match=r"two edits change User\.log"):
        quick.update(ADA, User.log.append("b"), User.log.append("c"))
    with quick.transaction() as transaction:
        transaction.update(ADA, User.points.add(1))
        transaction.update(ADA, User.log.append("b"))
    assert (ada(quick).points, ada(quick).log) == (4, ["a", "b"])
    with quick.transaction() as transaction:
        transaction.update(ADA, User.points.add(1))
        transaction.update(ADA, User.points.add(1))
    assert ada(quick).points == 6


def test_edit_is_repeated_if_a_program_of_the_old_version_writes_meanwhile() -> None:
    store = open_store(users)
    put(store, OLD)

    def write() -> None:
        put(store, {**OLD, "score": {"N": "10"}})

    racing = Store(InterruptedDriver(store.driver, GetItem, after=write))
    assert racing.update(ADA, User.points.add(1)).points == 11


def test_timestamps_are_renamed(quick: Store) -> None:
    class Before(Entity, table=Table("users")):
        """The earlier version."""

        user: Attr[str] = attr()
        made: Attr[datetime] = created(name="created_at")
        changed: Attr[datetime] = updated(name="updated_at")
        key = Key(pk=("STAMPED", user), sk="STAMPED")

    class After(Entity, table=Table("users")):
        """The later version."""

        user: Attr[str] = attr()
        note: Attr[str] = attr(default="")
        made: Attr[datetime] = created(old_names=("created_at",))
        changed: Attr[datetime] = updated(old_names=("updated_at",))
        key = Key(pk=("STAMPED", user), sk="STAMPED")

    before = quick.create(Before(user="a"))
    item: Item = {"PK": {"S": "STAMPED#a"}}
    updated_item = quick.update(After.key("a"), After.note.set("x"), if_=After.made == before.made)
    assert updated_item.made == before.made
    assert updated_item.changed > before.changed
    assert set(stored(quick, item)) == {"user", "note", "created_at", "changed"}
    put_again = quick.put(updated_item)
    assert set(stored(quick, item)) == {"user", "note", "made", "changed"}
    assert quick.get(After.key("a")) == put_again
    assert quick.upsert(After.key("b"), After.note.set("y")).made > before.made


def test_upsert_modify_and_transactions_rename(quick: Store) -> None:
    put(quick, OLD)
    assert quick.upsert(ADA, User.points.add(1), User.name.set("A")).points == 4
    put(quick, OLD)
    unchanged = quick.upsert(ADA, User.points.add(1), on_create=[User.name.set("New")])
    assert (unchanged.name, unchanged.points) == ("Ada", 4)
    put(quick, OLD)
    quick.modify(ADA, lambda one: setattr(one, "points", one.points * 10))
    assert ada(quick).points == 30
    assert not OLD_NAMES & set(stored(quick, OLD))
    put(quick, OLD)
    with quick.transaction() as transaction:
        transaction.update(ADA, User.points.add(1), if_=User.points == 3)
        transaction.create(User(user="eve", name="Eve"))
    assert ada(quick).points == 4
    put(quick, OLD)
    with expect_error(errors.ConditionFailed), quick.transaction() as transaction:
        transaction.check(ADA, User.points == 0)
        transaction.create(User(user="zoe", name="Zoe"))
    assert quick.delete(ADA, if_=User.name == "Ada") is not None


# The way to rename all items, while other programs write them.
def test_modify_without_a_change_writes_an_item_with_old_names(quick: Store) -> None:
    def unchanged(one: object) -> None:
        """Change nothing."""

    put(quick, OLD)
    assert quick.modify(ADA, unchanged).revision == 2
    assert not OLD_NAMES & set(stored(quick, OLD))
    assert quick.modify(ADA, unchanged).revision == 2  # not written again
    put(quick, {**PLAIN, "name": {"S": "a"}, "FullName": {"S": "b"}})
    quick.modify(Plain.key("a"), unchanged)
    assert stored(quick, PLAIN) == {"id": {"S": "a"}, "name": {"S": "b"}}


def test_modify_notices_a_new_old_name(quick: Store) -> None:
    quick.create(Plain(user="a"))
    raced: list[int] = []

    def change(one: Plain) -> None:
        if not raced:
            raced.append(1)
            put(quick, {**PLAIN, "FullName": {"S": "raced"}})
        one.name = f"{one.name}!"

    assert quick.modify(Plain.key("a"), change).name == "raced!"


def test_unique_values_of_old_items_are_released_and_kept(quick: Store) -> None:
    quick.create(User(user="ada", name="Ada", email="a@x"))
    put(quick, OLD)
    with pytest.raises(errors.AlreadyExists):
        quick.create(User(user="eve", name="Eve", email="a@x"))
    quick.update(ADA, User.email.set("b@x"))
    quick.create(User(user="eve", name="Eve", email="a@x"))
    marker = next(one for one in quick.admin.items(users, 50).items if "b@x" in one["PK"]["S"])
    assert marker["name"] == {"S": "Ada"}


def test_bulk_load_skips_an_equal_item_with_old_names(quick: Store) -> None:
    put(quick, {**PLAIN, "FullName": {"S": "Ada"}})
    assert quick.bulk_load([Plain(user="a", name="Ada")]).skipped == 1
    result = quick.bulk_load([Plain(user="a", name="Eve")], on_conflict=lambda conflict: None)
    assert result.conflicts == 1


def test_encrypted_value_is_read_under_its_old_name_and_sealed_again(quick: Store) -> None:
    class Before(Entity, table=Table("users")):
        """The earlier version."""

        user: Attr[str] = attr(name="id")
        name: Attr[str] = attr(name="FullName")
        secret: Attr[str | None] = attr(name="hidden", default=None, codec=SECRET)
        key = Key(pk=("USER", user), sk="USER")

    quick.create(Before(user="ada", name="Ada", secret="s"))
    assert ada(quick).secret == "s"
    assert list(quick.select(User.key.partition("ada"), User.secret)) == [("s",)]
    assert quick.update(ADA, User.secret.set_if_missing("other")).secret == "s"
    assert "hidden" not in stored(quick, OLD)
    assert ada(quick).secret == "s"


def test_write_old_stores_values_that_may_be_absent_under_the_old_names_only(
    quick: Store,
) -> None:
    item: Item = {"PK": {"S": "WRITTEN#ada"}}
    quick.create(Written(user="ada", name="Ada", points=3, nick="A", tags={"x"}))
    assert stored(quick, item) == {
        "id": {"S": "ada"},
        "Name": {"S": "Ada"},
        "full_name": {"S": "Ada"},
        "FullName": {"S": "Ada"},
        "score": {"N": "3"},
        "Nick": {"S": "A"},
        "labels": {"SS": ["x"]},
    }
    updated = quick.update(
        WRITTEN,
        Written.name.set("Eve"),
        Written.points.add(1),
        Written.nick.remove(),
        Written.tags.remove_members("x"),
        if_=(Written.nick == "A") & (Written.points == 3),
    )
    assert (updated.name, updated.points, updated.nick, updated.tags) == ("Eve", 4, None, set())
    assert stored(quick, item) == {
        "id": {"S": "ada"},
        "Name": {"S": "Eve"},
        "full_name": {"S": "Eve"},
        "FullName": {"S": "Eve"},
        "score": {"N": "4"},
    }


def test_index_without_any_name_of_a_field_cannot_test_or_select_it(quick: Store) -> None:
    with pytest.raises(errors.InvalidValue, match="does not contain FullName, Name, full_name"):
        quick.count(User.partly("ada"), where=User.name == "x")
    with pytest.raises(errors.InvalidValue, match=r"does not contain User\.name"):
        list(quick.select(User.partly("ada"), User.name))
    put(quick, {**OLD, "GSI2PK": {"S": "NAME#Ada"}})
    assert list(quick.select(User.by_name("Ada"), User.name)) == [("Ada",)]


def test_old_name_is_not_an_argument_of_the_constructor() -> None:
    arguments: dict[str, Any] = {"user": "a", "full_name": "Ada"}
    with pytest.raises(errors.UnknownField):
        User(**arguments)


REJECTED: dict[str, Callable[[], object]] = {
    "expected a tuple": lambda: attr(old_names="FullName"),  # type: ignore[call-overload]
    "there are no old names": lambda: attr(write_old=True),
    "stored in the primary key only": lambda: attr(key_only=True, old_names=("x",)),
    "types to functions": lambda: attr(old_types={int: 5}),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("match", REJECTED)
def test_wrong_argument_of_attr_is_rejected(match: str) -> None:
    with pytest.raises(errors.DeclarationError, match=match):
        REJECTED[match]()
