"""None is stored as an absent attribute, or as null by other programs."""

from __future__ import annotations

from typing import Any

import pytest

from dynamodb_engine.expressions import Exists, NotExists
from dynamodb_engine.operations import PutItem
from singletable.errors import ConditionFailed
from singletable.schema import Attr, Condition, Entity, Index, Key, Table, Unique, attr
from singletable.store import Store
from tests.store.store_adapter import StoreOpener
from tests.store.stores import existing, stored_item

by_team = Index("by_team", pk="GPK", sk="GSK")
people = Table("people", indexes=[by_team])
ABSENT = None
NULL = {"NULL": True}


class Person(Entity, table=people):
    name: Attr[str] = attr()
    team: Attr[str | None] = attr(default=None)
    email: Attr[str | None] = attr(default=None)
    title: Attr[str | None] = attr(default="member")
    tags: Attr[set[str]] = attr(factory=set)
    notes: Attr[dict[str, str | None]] = attr(factory=dict)
    points: Attr[int] = attr(default=0)
    key = Key(pk="PEOPLE", sk=("PERSON", name))
    teamed = Key(pk="TEAMED", sk=(name,)).on(by_team, when=team != None)  # noqa: E711
    one_email = Unique(email)


ALL = Person.key.partition()
# Conditions for missing and for present values, their attribute, and a value for it.
ASKED: dict[str, tuple[Condition[Person], Condition[Person], str, object]] = {
    "words": (Person.team.missing(), Person.team.exists(), "team", {"S": "blue"}),
    "None": (Person.team == None, Person.team != None, "team", {"S": "blue"}),  # noqa: E711
    "not": (~(Person.team != None), ~Person.team.missing(), "team", {"S": "blue"}),  # noqa: E711
    "in": (Person.team.in_(None, "red"), Person.team.in_("blue"), "team", {"S": "blue"}),
    "in none": (Person.team.in_(None), ~Person.team.in_(None), "team", {"S": "blue"}),
    "default": (Person.title == None, Person.title != None, "title", {"S": "member"}),  # noqa: E711
    "set": (Person.tags.missing(), Person.tags.exists(), "tags", {"SS": ["a"]}),
}


def as_others_write(opener: StoreOpener, name: str, **attributes: Any) -> None:
    """Store an item as another program would, with null."""
    there = {name: value for name, value in attributes.items() if value is not ABSENT}
    item: Any = {"PK": {"S": "PEOPLE"}, "SK": {"S": f"PERSON#{name}"}, "name": {"S": name}}
    opener.driver.execute(PutItem("people", {**item, **there}))


TABLES = (people,)


@pytest.mark.parametrize("name", ASKED)
def test_absent_and_null_decode_as_none(store: Store, opener: StoreOpener, name: str) -> None:
    none, some_there, attribute, some = ASKED[name]
    as_others_write(opener, "absent", **{attribute: ABSENT})
    as_others_write(opener, "null", **{attribute: NULL})
    as_others_write(opener, "some", **{attribute: some})
    assert [one.name for one in store.query(ALL, where=none)] == ["absent", "null"]
    assert [one.name for one in store.query(ALL, where=some_there)] == ["some"]
    assert store.count(ALL, where=none) == 2
    for one in ("absent", "null"):
        store.update(Person.key(one), Person.points.add(1), if_=none)
    with pytest.raises(ConditionFailed):
        store.update(Person.key("some"), Person.points.add(1), if_=none)


def test_null_in_a_map_decodes_as_none(store: Store) -> None:
    store.create(Person(name="ada", notes={"a": None, "b": "x"}))
    asked = (Person.notes["a"] == None) & (Person.notes["c"] == None) & (Person.notes["b"] != None)  # noqa: E711
    assert store.count(ALL, where=asked) == 1


# None is written as null where a missing attribute would be read as the default.
def test_field_set_to_none_is_none(store: Store) -> None:
    store.create(Person(name="ada"))
    assert store.count(ALL, where=Person.title != None) == 1  # noqa: E711
    assert store.update(Person.key("ada"), Person.title.set(None)).title is None
    assert store.count(ALL, where=Person.title == None) == 1  # noqa: E711


def test_null_is_not_indexed_and_claims_no_unique_value(store: Store, opener: StoreOpener) -> None:
    as_others_write(opener, "ada", team=NULL, email=NULL)
    as_others_write(opener, "bea", email=NULL)
    for name in ("ada", "bea"):
        store.put(existing(store.get(Person.key(name))))
    assert list(store.query(Person.teamed())) == []
    store.update(Person.key("ada"), Person.team.set("blue"), Person.email.set("a@x"))
    assert [one.name for one in store.query(Person.teamed())] == ["ada"]
    assert store.find(Person.one_email("a@x")) is not None


def test_put_writes_null_as_absent(store: Store, opener: StoreOpener) -> None:
    as_others_write(opener, "ada", team=NULL)
    store.put(existing(store.get(Person.key("ada"))))
    assert "team" not in stored_item(opener.driver, Person.key("ada"))


# Null cannot be read where the type has no None, so there is no condition for it.
def test_condition_on_a_required_field_has_no_null_test() -> None:
    assert Person.points.missing().node() == NotExists(("points",))
    assert Person.points.exists().node() == Exists(("points",))
